import { isPlainObject, type JsonValue, type Part } from '../../events/index.ts';
import type { ProviderRules } from './provider-rules.ts';

/** A call and its response as a provider takes them; parts that are so already are used as they are. */
export interface CallPair {
  readonly call: Part;
  readonly response: Part;
}

/**
 * Gives calls and responses the ids, names and result shapes that one provider demands. Ids that are missing, unfit or
 * used before in the same request are replaced by one made from seq and place, so that they are the same every time.
 */
export class ProviderCalls {
  readonly #rules: ProviderRules;
  readonly #used = new Set<string>();

  constructor(rules: ProviderRules) {
    this.#rules = rules;
  }

  pair(callPart: Part, responsePart: Part, value: JsonValue | undefined, fallbackId: string): CallPair {
    const { functionCall: call } = callPart;
    const { functionResponse: response } = responsePart;
    if (call === undefined || response === undefined) return { call: callPart, response: responsePart };
    const id = this.#idFor(call.id, fallbackId);
    const name = fitName(call.name, this.#rules);
    const result = this.#rules.objectResponses && !isPlainObject(value) ? asObject(value) : value;
    const callFits = id === call.id && name === call.name;
    const responseFits = id === response.id && name === response.name && result === response.response;
    const given = id === undefined ? {} : { id };
    return {
      call: callFits ? callPart : { ...callPart, functionCall: { ...call, ...given, name } },
      response: responseFits
        ? responsePart
        : {
            ...responsePart,
            functionResponse: { ...given, name, ...(result === undefined ? {} : { response: result }) },
          },
    };
  }

  #idFor(id: string | undefined, fallbackId: string): string | undefined {
    const { callId } = this.#rules;
    if (callId === undefined) return id;
    let fit = id !== undefined && callId.test(id) && !this.#used.has(id) ? id : fallbackId;
    while (this.#used.has(fit)) fit = `${fit}_`;
    this.#used.add(fit);
    return fit;
  }
}

function asObject(value: JsonValue | undefined): JsonValue {
  return value === undefined ? {} : { result: value };
}

function fitName(name: string, rules: ProviderRules): string {
  if (rules.toolName.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, 64);
}

import { isPlainObject, type JsonValue, type Part } from '../../events/index.ts';
import type { ProviderRules } from './provider-rules.ts';

/** A response and what of its result is shown. */
export interface ShownResponse {
  readonly part: Part;
  readonly value: JsonValue | undefined;
}

/** A call and its response as a provider takes them; parts that are so already are used as they are. */
export interface CallPair {
  readonly call: Part;
  readonly response: Part;
}

/**
 * Gives calls and responses the ids, names and result shapes that one provider demands. Ids that are missing, unfit or
 * used before in the same request are replaced by one made from seq and place, so that they are the same every time.
 * What is used before, where only a piece of the conversation is laid out, is given.
 */
export class ProviderCalls {
  readonly #rules: ProviderRules;
  readonly #usedBefore: ReadonlySet<string>;
  readonly #used = new Set<string>();
  readonly #names = new Map<string, string>();
  #metUsedBefore = false;

  constructor(rules: ProviderRules, usedBefore: ReadonlySet<string> = new Set()) {
    this.#rules = rules;
    this.#usedBefore = usedBefore;
  }

  /** The ids given out, where calls are paired by id. */
  get used(): ReadonlySet<string> {
    return this.#used;
  }

  /** True if an id had to give way to one that was used before. */
  get metUsedBefore(): boolean {
    return this.#metUsedBefore;
  }

  /** Pairs a call, which stands at a place among those of an event, with its response. */
  pair(callPart: Part, shown: ShownResponse, at: { readonly seq: number; readonly place: number }): CallPair {
    const { functionCall: call } = callPart;
    const { functionResponse: response } = shown.part;
    if (call === undefined || response === undefined) return { call: callPart, response: shown.part };
    const id = this.#idFor(call.id, at);
    const name = this.#fitName(call.name);
    const { value } = shown;
    const result = this.#rules.objectResponses && !isPlainObject(value) ? asObject(value) : value;
    const given = id === undefined ? {} : { id };
    const callFits = id === call.id && name === call.name;
    const responseFits = id === response.id && name === response.name && result === response.response;
    return {
      call: callFits ? callPart : { ...callPart, functionCall: { ...call, ...given, name } },
      response: responseFits
        ? shown.part
        : {
            ...shown.part,
            functionResponse: { ...given, name, ...(result === undefined ? {} : { response: result }) },
          },
    };
  }

  #idFor(id: string | undefined, { seq, place }: { readonly seq: number; readonly place: number }): string | undefined {
    const { callId } = this.#rules;
    if (callId === undefined) return id;
    let fit = id !== undefined && callId.test(id) && !this.#isUsed(id) ? id : `call_${seq}_${place}`;
    while (this.#isUsed(fit)) fit = `${fit}_`;
    this.#used.add(fit);
    return fit;
  }

  /** Most calls go to one of a few tools. */
  #fitName(name: string): string {
    let fit = this.#names.get(name);
    if (fit === undefined) {
      fit = fitName(name, this.#rules);
      this.#names.set(name, fit);
    }
    return fit;
  }

  #isUsed(id: string): boolean {
    if (this.#used.has(id)) return true;
    if (!this.#usedBefore.has(id)) return false;
    this.#metUsedBefore = true;
    return true;
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

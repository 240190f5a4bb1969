import assert from 'node:assert/strict';
import { assemble, buildRequest, validateRequest } from '../../../src/context/assembly/index.ts';
import { text } from '../../../src/events/index.ts';
import type { ContextProperty } from '../context-case.ts';
import { providers } from '../view-arbitrary.ts';

const nothing = { instruction: [], tools: [], transient: [] };
/** There is always something to say. */
const question = { kind: 'state', stable: false, content: text('今天是星期一') } as const;

/** Whatever stands in a log: nothing throws, and each provider accepts the request, bare and with blocks around it. */
export const acceptedByProviders: ContextProperty = ({ story, view, surroundings }) => {
  for (const provider of providers) {
    const assembly = assemble(story.events, { ...view, provider });
    const around = { ...surroundings, assembly, transient: [...surroundings.transient, question] };
    const requests = [buildRequest(around, provider)];
    if (assembly.contents.length > 0) requests.push(buildRequest({ ...nothing, assembly }, provider));
    for (const request of requests) assert.deepEqual(validateRequest(request, provider), [], provider);
  }
};

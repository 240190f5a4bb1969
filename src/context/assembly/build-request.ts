import { type Block, type Content, type ModelRequest, type Part, type Provider, textOf } from '../../events/index.ts';
import type { Assembly } from './assembly.ts';
import { opening } from './lay-out-contents.ts';
import { mayStand, type ProviderRules, providerRules } from './provider-rules.ts';
import type { RequestParts } from './request-parts.ts';

/**
 * Puts blocks and conversation together. Instruction texts first, tools by name; then, as contents, stable blocks, the
 * conversation up to the newest question, the transient blocks, and what followed the question. So the transient ones
 * keep their place for the whole invocation, and without them one request's contents begin the next one's.
 */
export function buildRequest(parts: RequestParts, provider: Provider): ModelRequest {
  const rules = providerRules[provider];
  const given = [...parts.instruction, ...(parts.examples ?? []), ...(parts.documents ?? [])];
  const stable = given.filter((block) => block.stable);
  const transient = [...given.filter((block) => !block.stable), ...parts.transient];
  const [before, after] = splitAtQuestion(parts.assembly);
  const slots = [
    ...slotsOf(
      stable.filter((block) => block.kind !== 'instruction').map(({ content }) => content),
      rules,
      false,
    ),
    ...slotsOf(before, rules, false),
    ...slotsOf(
      transient.map(({ content }) => ({ ...content, role: 'user' })),
      rules,
      true,
    ),
    ...slotsOf(after, rules, false),
  ];
  if (slots[0]?.content.role === 'model') slots.unshift({ content: opening, isTransient: false });
  return Object.freeze({
    instruction: instructionOf(stable),
    tools: [...parts.tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    ...(rules.mergesBlocks ? mergeSlots(slots) : listSlots(slots)),
  });
}

interface Slot {
  readonly content: Content;
  readonly isTransient: boolean;
}

function instructionOf(stable: readonly Block[]): readonly string[] {
  return stable
    .flatMap(({ kind, content }) => (kind === 'instruction' ? textOf(content) : []))
    .filter((text) => text.trim() !== '');
}

function slotsOf(contents: readonly Content[], rules: ProviderRules, isTransient: boolean): readonly Slot[] {
  return contents.flatMap((content) => {
    const isWhole = content.parts.length > 0 && content.parts.every((part) => mayStand(part, content.role, rules));
    const kept = isWhole
      ? content
      : { ...content, parts: content.parts.filter((part) => mayStand(part, content.role, rules)) };
    return kept.parts.length === 0 ? [] : [{ content: kept, isTransient }];
  });
}

/** The contents up to and with the newest question, and those after it; all come before if there is no question. */
function splitAtQuestion({ contents, question }: Assembly): readonly [readonly Content[], readonly Content[]] {
  const asked = question && contents[question.content];
  if (question === undefined || asked === undefined) return [contents, []];
  const [first, rest] = [contents.slice(0, question.content), contents.slice(question.content + 1)];
  if (question.parts >= asked.parts.length) return [[...first, asked], rest];
  const head = { ...asked, parts: asked.parts.slice(0, question.parts) };
  return [
    [...first, head],
    [{ ...asked, parts: asked.parts.slice(question.parts) }, ...rest],
  ];
}

type Laid = Pick<ModelRequest, 'contents' | 'transient' | 'transientParts'>;

function listSlots(slots: readonly Slot[]): Laid {
  const transient = slots.flatMap(({ isTransient }, index) => (isTransient ? index : []));
  return { contents: slots.map(({ content }) => content), transient };
}

/** The same with neighbours of one role in one content, and where in it the transient parts stand. */
function mergeSlots(slots: readonly Slot[]): Laid {
  const contents: Content[] = [];
  const transient: number[] = [];
  let span: ModelRequest['transientParts'];
  for (let index = 0; index < slots.length; ) {
    const role = slots[index]?.content.role ?? 'user';
    const parts: Part[] = [];
    let within: { from: number; to: number } | undefined;
    const start = index;
    for (; slots[index]?.content.role === role; index++) {
      const slot = slots[index];
      if (slot?.isTransient)
        within = { from: within?.from ?? parts.length, to: parts.length + slot.content.parts.length };
      parts.push(...(slot?.content.parts ?? []));
    }
    if (within !== undefined && within.to - within.from === parts.length) transient.push(contents.length);
    else if (within !== undefined) span = { content: contents.length, ...within };
    const only = index - start === 1 ? slots[start]?.content : undefined;
    contents.push(only ?? { role, parts });
  }
  return { contents, transient, ...(span === undefined ? {} : { transientParts: span }) };
}

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openQuiet } from '../agents/run-to-end.ts';
import { type RecordedRequest, startWireServer, type WireServer } from '../wire-server/index.ts';
import { cachedAgent, cachedModelAt, remember, stepsOfTurns, talk } from './cached-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

/** A block as the provider caches it, in the order of its prefix. */
interface CachedBlock {
  /** Without the mark itself. */
  readonly bytes: string;
  readonly mark: unknown;
}

function blocksOf({ body }: RecordedRequest): readonly CachedBlock[] {
  const { tools, system, messages } = JSON.parse(JSON.stringify(body));
  const blocks: readonly (readonly [string, Record<string, unknown>])[] = [
    ...tools.map((one: object) => ['tool', one]),
    ...system.map((one: object) => ['system', one]),
    ...messages.flatMap(({ role, content }: { role: string; content: object[] }) => content.map((one) => [role, one])),
  ];
  return blocks.map(([place, { cache_control: mark, ...rest }]) => ({ bytes: JSON.stringify([place, rest]), mark }));
}

function marksIn(blocks: readonly CachedBlock[]): readonly number[] {
  return blocks.flatMap(({ mark }, at) => (mark === undefined ? [] : at));
}

const lookBack = 20;

/** Fails unless the provider finds what it wrote for the first request when it gets the second one. */
function expectFound(first: RecordedRequest, second: RecordedRequest): void {
  const [written, asked] = [blocksOf(first), blocksOf(second)];
  const last = marksIn(written).at(-1) ?? expect.unreachable('nothing is marked');
  const prefix = written.slice(0, last + 1).map(({ bytes }) => bytes);
  expect(asked.slice(0, prefix.length).map(({ bytes }) => bytes)).toEqual(prefix);
  // From one of the marks it is no further than the provider looks back.
  expect(marksIn(asked).some((mark) => mark >= last && mark - last < lookBack)).toBe(true);
}

async function requestsWith(cache: Parameters<typeof openQuiet>[0], turns = stepsOfTurns) {
  const palimpsest = await openQuiet(cache);
  await remember(palimpsest);
  const agent = cachedAgent(palimpsest, cachedModelAt(server.baseUrl('anthropic'), 'anthropic'));
  const requests = await talk(server, agent, turns);
  await palimpsest.close();
  return requests;
}

describe('requests to an Anthropic model, as they come over the wire', () => {
  it('are marked at most four times, and begin with all that was written for the one before', async () => {
    const turns = await requestsWith({});
    const all = turns.flat();
    expect(all.length).toBeGreaterThan(stepsOfTurns.length);
    for (const request of all) {
      const marks = marksIn(blocksOf(request));
      expect(marks.length).toBeGreaterThan(0);
      expect(marks.length).toBeLessThanOrEqual(4);
    }
    for (const [at, second] of all.slice(1).entries()) expectFound(all[at] ?? second, second);
    const recalled = all.filter(({ bodyText }) => bodyText.includes('<recalled_memories>'));
    expect(recalled).toHaveLength(all.length);
  });

  it('are found again after a turn that added more than all marks look back on', async () => {
    const [long = [], [next] = []] = await requestsWith({}, [24, 0]);
    const last = long.at(-1) ?? expect.unreachable('nothing was sent');
    const added = blocksOf(next ?? last).length - blocksOf(long[0] ?? last).length;
    expect(added).toBeGreaterThan(4 * lookBack);
    expectFound(last, next ?? last);
  });

  it('have no mark on what is recalled, nor behind it', async () => {
    for (const request of (await requestsWith({}, [1, 2, 1])).flat()) {
      const blocks = blocksOf(request);
      const recalled = blocks.findIndex(({ bytes }) => bytes.includes('<recalled_memories>'));
      expect(recalled).toBeGreaterThan(0);
      expect(marksIn(blocks).every((mark) => mark < recalled)).toBe(true);
    }
  });

  it('are marked at their end as well where more steps are told of', async () => {
    const turns = await requestsWith({ cache: { moreSteps: true } }, [2, 3, 0]);
    for (const requests of turns)
      for (const [at, request] of requests.entries()) {
        const blocks = blocksOf(request);
        expect(marksIn(blocks).length).toBeLessThanOrEqual(4);
        expect(blocks.at(-1)?.mark).toEqual({ type: 'ephemeral' });
        const second = requests[at + 1];
        if (second !== undefined) expectFound(request, second);
      }
  });

  it('ask for an hour where the application does', async () => {
    const [[request] = []] = await requestsWith({ cache: { ttl: '1h' } }, [0]);
    const marks = blocksOf(request ?? expect.unreachable('nothing was sent')).flatMap(({ mark }) => mark ?? []);
    expect(marks.length).toBeGreaterThan(0);
    for (const mark of marks) expect(mark).toEqual({ type: 'ephemeral', ttl: '1h' });
  });

  it('have no mark with cache: off, nor beside one of the caller', async () => {
    for (const { bodyText } of (await requestsWith({ cache: 'off' }, [1, 0])).flat())
      expect(bodyText).not.toContain('cache_control');
    const palimpsest = await openQuiet();
    const settings = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    const model = cachedModelAt(server.baseUrl('anthropic'), 'anthropic');
    for (const request of (await talk(server, cachedAgent(palimpsest, model, { settings }), [1])).flat()) {
      expect(marksIn(blocksOf(request))).toEqual([]);
      expect(request.body.cache_control).toEqual({ type: 'ephemeral' });
    }
    await palimpsest.close();
  });
});

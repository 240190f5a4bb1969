import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isHang, isRefusal, type Refusal, type Reply, type Turn } from './reply-script.ts';
import { type Answer, eventLine, type Wire } from './wire.ts';

const brokenJson = '{"choices":[{"delta":{"content":"';

/** Sends a reply as its wire writes it, with whatever is to go wrong. Returns when it is sent, or the client is gone. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  { wire, answer, isStreaming }: { wire: Wire; answer: Omit<Answer, 'turn'>; isStreaming: boolean },
): Promise<void> {
  if (isHang(reply)) return;
  if (isRefusal(reply)) return sendRefusal(response, reply, wire);
  const whole = { ...answer, turn: reply };
  await (isStreaming ? sendStream(response, wire, whole) : sendWhole(response, wire, whole));
}

/** Sends an error with a status, in the wire's shape unless the script has another. */
export function sendRefusal(response: ServerResponse, refusal: Refusal, wire: Wire): void {
  const { status, message = `scripted status ${status}`, retryAfter } = refusal;
  const body = 'body' in refusal ? refusal.body : wire.error(status, message);
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  else sendJson(response, body, status);
}

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function sendWhole(response: ServerResponse, wire: Wire, answer: Answer): Promise<void> {
  const { turn } = answer;
  if (!(await drip(response, turn))) return;
  if (turn.hangAfter !== undefined) return;
  if (turn.errorAfter !== undefined) return sendRefusal(response, { status: 500 }, wire);
  const text = JSON.stringify(wire.whole(answer));
  response.writeHead(200, { 'content-type': 'application/json' });
  if (turn.cutAfter !== undefined) return cut(response, text.slice(0, text.length / 2));
  if (turn.endAfter !== undefined) response.end();
  else response.end(turn.malformedAfter === undefined ? text : brokenJson);
}

async function sendStream(response: ServerResponse, wire: Wire, answer: Answer): Promise<void> {
  const { turn } = answer;
  const { opening, steps, closing } = wire.stream(answer);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  if (turn.endAfter === 0) return void response.end();
  response.write(opening.join(''));
  for (let number = 0; number <= steps.length; number++) {
    if (turn.hangAfter === number) return;
    if (turn.malformedAfter === number) response.write(eventLine(brokenJson));
    if (turn.errorAfter === number) return void response.end(wire.streamedError('scripted error in the stream'));
    if (turn.endAfter === number) return void response.end();
    if (turn.cutAfter === number) return cut(response, '');
    const step = steps[number];
    if (step === undefined) break;
    if (!(await drip(response, turn))) return;
    response.write(step.join(''));
  }
  response.end(closing.join(''));
}

/** Waits as the turn asks; false if the client has gone meanwhile. */
async function drip(response: ServerResponse, { dripMs }: Turn): Promise<boolean> {
  if (dripMs === undefined) return !response.destroyed;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  try {
    await pause(dripMs, undefined, { signal: gone.signal });
    return !response.destroyed;
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    return false;
  } finally {
    response.off('close', leave);
  }
}

/** Writes what is to come through, sees it off, and destroys the socket. */
async function cut(response: ServerResponse, last: string): Promise<void> {
  // An empty chunk would end the body in good order.
  await new Promise<void>((resolve) => response.write(last === '' ? ': \n\n' : last, () => setImmediate(resolve)));
  response.socket?.destroy();
}

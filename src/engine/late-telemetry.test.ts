import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger, silentTelemetry, type Telemetry } from '../models/index.ts';
import { LateTelemetry } from './late-telemetry.ts';

const own: Telemetry = { span: silentTelemetry.span };
const never = async (): Promise<Telemetry> => expect.unreachable('was loaded');

function warnings(): Logger & { readonly told: string[] } {
  const told: string[] = [];
  return { ...silentLogger, told, warn: (message, fields) => void told.push(`${message} ${String(fields?.error)}`) };
}

async function loadMissing(): Promise<Telemetry> {
  const missing = 'a-package-that-is-not-installed';
  return import(missing);
}

describe('LateTelemetry', () => {
  it('loads nothing when it is off, or when the caller has one', async () => {
    expect(await new LateTelemetry('off', silentLogger, never).load()).toBe(silentTelemetry);
    expect(await new LateTelemetry(own, silentLogger, never).load()).toBe(own);
  });

  it('loads at the first call, once, also for calls at once', async () => {
    let loads = 0;
    const telemetry = new LateTelemetry('auto', silentLogger, async () => {
      loads++;
      return own;
    });
    expect(loads).toBe(0);
    expect(await Promise.all([telemetry.load(), telemetry.load()])).toEqual([own, own]);
    expect(await telemetry.load()).toBe(own);
    expect(loads).toBe(1);
  });

  it('begins spans of what was chosen, and of nothing until that is loaded', async () => {
    const begun: string[] = [];
    const noting: Telemetry = {
      span: (name, attributes) => {
        begun.push(`${name} ${attributes?.model}`);
        return silentTelemetry.span(name);
      },
    };
    const late = new LateTelemetry('auto', silentLogger, async () => noting);
    late.span('too early').end();
    await late.load();
    late.span('call', { model: '模型' }).end();
    new LateTelemetry(noting, silentLogger).span('at once', { model: 'm' }).end();
    expect(begun).toEqual(['call 模型', 'at once m']);
  });

  it('counts with what was chosen, and with nothing until that is loaded or where that cannot count', async () => {
    const counted: unknown[] = [];
    const counting: Telemetry = { span: own.span, count: (...told) => void counted.push(told) };
    const late = new LateTelemetry('auto', silentLogger, async () => counting);
    late.count('too.early', 1);
    await late.load();
    late.count('摺叠', 2, { outcome: 'committed' });
    new LateTelemetry(own, silentLogger).count('cannot', 1);
    new LateTelemetry('off', silentLogger, never).count('off', 1);
    expect(counted).toEqual([['摺叠', 2, { outcome: 'committed' }]]);
  });

  it('counts on where what was chosen throws', () => {
    const told: unknown[] = [];
    const logger: Logger = { ...silentLogger, debug: (message, fields) => void told.push([message, fields]) };
    const broken: Telemetry = {
      span: own.span,
      count: () => {
        throw new Error('计数器坏了');
      },
    };
    new LateTelemetry(broken, logger).count('folds', 1);
    expect(told).toEqual([[expect.any(String), { name: 'folds', error: 'Error: 计数器坏了' }]]);
  });

  it('times nothing, and says nothing, where the package is not installed', async () => {
    const logger = warnings();
    expect(await new LateTelemetry('auto', logger, loadMissing).load()).toBe(silentTelemetry);
    expect(logger.told).toEqual([]);
  });

  it('warns, once, of a package that is there and cannot be loaded, and times nothing', async () => {
    const logger = warnings();
    const telemetry = new LateTelemetry('auto', logger, async () => JSON.parse('{'));
    expect(await telemetry.load()).toBe(silentTelemetry);
    expect(await telemetry.load()).toBe(silentTelemetry);
    expect(logger.told).toEqual([expect.stringMatching(/OpenTelemetry.*SyntaxError/)]);
  });
});

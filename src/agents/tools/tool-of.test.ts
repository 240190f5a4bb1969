import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { isPalimpsestError } from '../../errors/index.ts';
import type { JsonMap, JsonValue } from '../../events/index.ts';
import type { StandardSchema } from '../../models/index.ts';
import { sampleContext } from './sample-context.ts';
import type { Tool, ToolContext } from './tool.ts';
import { tool } from './tool-of.ts';

const plain = { name: 'forecast', description: 'The weather of a city.', run: () => '多云' };

function refusal(definition: object): unknown {
  try {
    // What comes from JavaScript has no types that would stop it.
    tool(definition as Parameters<typeof tool>[0]);
  } catch (error) {
    return isPalimpsestError(error, 'INVALID_ARGUMENT') ? error.details : error;
  }
  return 'accepted';
}

describe('tool', () => {
  it('declares what the model is told, frozen', () => {
    const made = tool({ ...plain, parameters: z.object({ 城市: z.string() }), longRunning: true, timeoutMs: 50 });
    expect(made).toMatchObject({
      declaration: {
        name: 'forecast',
        description: 'The weather of a city.',
        parameters: { type: 'object', properties: { 城市: { type: 'string' } }, required: ['城市'] },
      },
      longRunning: true,
      timeoutMs: 50,
    });
    expect([made, made.declaration, made.declaration.parameters].every(Object.isFrozen)).toBe(true);
    expect(Object.keys(tool(plain))).toEqual(['declaration', 'readArguments', 'run']);
  });

  it('checks arguments by a Standard Schema and applies what it transforms', async () => {
    const made = tool({ ...plain, parameters: z.object({ city: z.string().trim(), days: z.number().default(3) }) });
    expect(await made.readArguments({ city: ' 上海 ' })).toEqual({ value: { city: '上海', days: 3 } });
    expect(await made.readArguments({ city: 7 })).toEqual({
      problem:
        'The arguments of forecast do not fit its parameters:\n- city: Invalid input: expected string, received number',
    });
  });

  it('checks arguments by JSON Schema, whatever becomes of the literal later', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const made = tool({ ...plain, parameters });
    parameters.required.length = 0;
    expect(await made.readArguments({ city: '上海' })).toEqual({ value: { city: '上海' } });
    expect(await made.readArguments({})).toEqual({ problem: expect.stringMatching(/- city: /) });
  });

  it('takes a schema that writes no JSON Schema along with what describes it', async () => {
    const schema: StandardSchema<{ n: string }, { n: number }> = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { n: 7 } }) },
    };
    const jsonSchema = { type: 'object', properties: { n: { type: 'string' } } };
    const made = tool({ ...plain, parameters: { schema, jsonSchema }, run: ({ n }) => n + 1 });
    expect(made.declaration.parameters).toEqual(jsonSchema);
    expect(await made.readArguments({ n: '7' })).toEqual({ value: { n: 7 } });
    expect(refusal({ ...plain, parameters: { schema, jsonSchema: { type: 'array' } } })).toMatchObject({
      argument: 'parameters.jsonSchema',
    });
  });

  it('without parameters takes what it is given', async () => {
    expect(await tool(plain).readArguments({ a: 1 })).toEqual({ value: { a: 1 } });
    expect(tool(plain).declaration).not.toHaveProperty('parameters');
  });

  it('runs with the object that defines it', async () => {
    const definition = {
      ...plain,
      run() {
        return this.description;
      },
    };
    expect(tool(definition).run({}, sampleContext())).toBe(plain.description);
  });

  it.each<[string, object, string, RegExp]>([
    ['a name with a space', { ...plain, name: 'get weather' }, 'name', /1 to 64 of A–Z.*letter or _ first/],
    ['a Chinese name', { ...plain, name: '天气' }, 'name', /1 to 64/],
    ['a name that begins with a digit', { ...plain, name: '7days' }, 'name', /first/],
    ['a name with a dot', { ...plain, name: 'weather.get' }, 'name', /1 to 64/],
    ['a name of 65 characters', { ...plain, name: 'a'.repeat(65) }, 'name', /1 to 64/],
    ['no name', { ...plain, name: undefined }, 'name', /1 to 64/],
    ['a blank description', { ...plain, description: ' \n' }, 'description', /forecast must be a text/],
    ['nothing to run', { ...plain, run: undefined }, 'run', /function/],
    ['a field of another library', { ...plain, execute: () => 1 }, 'execute', /fields are name, .*run/],
    ['no time', { ...plain, timeoutMs: 0 }, 'timeoutMs', /from 1 to 2147483647/],
    ['endless time', { ...plain, timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs', /whole number/],
    ['a word for yes', { ...plain, longRunning: 'yes' }, 'longRunning', /true or false/],
    ['parameters that are no object', { ...plain, parameters: z.string() }, 'parameters', /schema of an object/],
    ['parameters that are a text', { ...plain, parameters: 'city' }, 'parameters', /Standard Schema or a JSON Schema/],
    ['no object', [], 'definition', /must be an object/],
  ])('refuses %s', (_name, definition, argument, reason) => {
    expect(refusal(definition)).toEqual({ argument, reason: expect.stringMatching(reason) });
  });

  it.each(['a', '_a', 'A-b_9', 'a'.repeat(64)])('accepts the name %s', (name) => {
    expect(refusal({ ...plain, name })).toBe('accepted');
  });
});

describe('the types of tool', () => {
  it('come from the output of a Standard Schema', () => {
    const parameters = z.object({ city: z.string().transform((city) => city.length), days: z.number().default(3) });
    const made = tool({
      ...plain,
      parameters,
      run: async (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: number; days: number }>();
        return { degrees: args.city };
      },
    });
    expectTypeOf(made.run).parameter(0).toEqualTypeOf<{ city: number; days: number }>();
    expectTypeOf(made.run).returns.toEqualTypeOf<Promise<{ degrees: number }>>();
    expectTypeOf(made).toExtend<Tool>();
    expect(made.declaration.name).toBe('forecast');
  });

  it('come from a JSON Schema literal', () => {
    const made = tool({
      ...plain,
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['C', 'F'] },
          days: { type: 'integer' },
          near: { type: 'array', items: { type: 'object', properties: { km: { type: 'number' } }, required: ['km'] } },
          note: { type: ['string', 'null'] },
          other: {},
        },
        required: ['city', 'unit'],
      },
      run: (args) => args.unit,
    });
    expectTypeOf(made.run).parameter(0).toEqualTypeOf<{
      readonly city: string;
      readonly unit: 'C' | 'F';
      readonly days?: number;
      readonly near?: readonly { readonly km: number }[];
      readonly note?: string | null;
      readonly other?: JsonValue;
    }>();
    expectTypeOf(made.run).returns.toEqualTypeOf<'C' | 'F'>();
    expect(made.declaration.name).toBe('forecast');
  });

  it('are those of any map where the schema is not known to the compiler', () => {
    const parameters: JsonMap = { type: 'object' };
    const run = (args: Record<string, JsonValue>) => args.city ?? null;
    expectTypeOf(tool({ ...plain, parameters, run }).run)
      .parameter(0)
      .toEqualTypeOf<Record<string, JsonValue>>();
    expectTypeOf(tool({ ...plain, run: (args) => args.city }).run).returns.toEqualTypeOf<JsonValue | undefined>();
    expect(tool({ ...plain, parameters }).declaration.parameters).toEqual({ type: 'object' });
  });

  it('let state be typed without losing those of the arguments', () => {
    interface Preferences {
      readonly unit: 'C' | 'F';
    }
    const made = tool({
      ...plain,
      parameters: z.object({ city: z.string() }),
      run(args, context: ToolContext<Preferences>) {
        expectTypeOf(args).toEqualTypeOf<{ city: string }>();
        const unit = context.state.get('unit');
        expectTypeOf(unit).toEqualTypeOf<'C' | 'F' | undefined>();
        return unit;
      },
    });
    const tools: readonly Tool[] = [made];
    expect(tools).toHaveLength(1);
  });
});

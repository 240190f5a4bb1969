import { type LanguageModel, type ModelCall, type ModelPiece, type ModelRequest, textOf } from '../../src/index.ts';
import type { Story } from './story.ts';

/**
 * Stands in for a language model, so that the story needs no key. It knows nothing but what its request says: asked for a
 * unit it promises it; asked which one, it reads it off the recalled notes, or says that it does not know.
 */
export class StoryModel implements LanguageModel {
  readonly name = 'story';
  readonly vendor = 'examples';
  readonly provider = 'openai';
  readonly #story: Story;
  /** The newest request, for the audience. */
  request: ModelRequest | undefined;

  constructor(story: Story) {
    this.#story = story;
  }

  async *call({ request }: ModelCall): AsyncGenerator<ModelPiece, void, undefined> {
    this.request = request;
    for (const word of this.#reply(request).split(/(?<= )/)) yield { type: 'text', text: word };
    yield { type: 'finish', finishReason: 'stop' };
  }

  #reply({ contents, transient }: ModelRequest): string {
    const said = contents.filter((content, index) => content.role === 'user' && !transient.includes(index));
    const wished = this.#story.unitIn(textOf(said.at(-1)));
    if (wished !== undefined) return this.#story.promise(wished);
    const notes = transient.map((index) => textOf(contents[index])).join('\n');
    return this.#story.unitIn(notes) ?? this.#story.ignorance;
  }
}

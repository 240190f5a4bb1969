import type { LanguageModel, ModelCall, ModelPiece } from '../models/index.ts';

/** The model that an agent has at the moment: applications make agents, and their models, anew for each request. */
export class CurrentModel implements LanguageModel {
  #model: LanguageModel;

  constructor(model: LanguageModel) {
    this.#model = model;
  }

  get name(): string {
    return this.#model.name;
  }

  get vendor(): string {
    return this.#model.vendor;
  }

  get provider(): LanguageModel['provider'] {
    return this.#model.provider;
  }

  renew(model: LanguageModel): void {
    this.#model = model;
  }

  call(call: ModelCall): AsyncIterable<ModelPiece> {
    return this.#model.call(call);
  }
}

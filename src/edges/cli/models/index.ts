/**
 * Models as the command line names them: connectModel() makes one ready to be called, modelHint() says what to do about a
 * failing one.
 */
export { type ConnectedModel, connectModel } from './connect-model.ts';
export { modelHint } from './model-hint.ts';

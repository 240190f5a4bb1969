import { isPalimpsestError } from '../errors/index.ts';

/** What work comes to; `undefined` if the session is gone. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isPalimpsestError(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

import { PalimpsestError } from '../../../errors/index.ts';

/** Loads the packages that speak to providers, each when it is asked for. */
export interface ProviderPackages {
  google(): Promise<typeof import('@ai-sdk/google')>;
  anthropic(): Promise<typeof import('@ai-sdk/anthropic')>;
  openai(): Promise<typeof import('@ai-sdk/openai-compatible')>;
}

/** The packages as they are installed beside Palimpsest; one that is not is MISSING_PACKAGE. */
export const installedPackages: ProviderPackages = {
  google: () => installed('@ai-sdk/google', () => import('@ai-sdk/google')),
  anthropic: () => installed('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic')),
  openai: () => installed('@ai-sdk/openai-compatible', () => import('@ai-sdk/openai-compatible')),
};

/** What the load gives, or MISSING_PACKAGE if it is that very package that cannot be found. */
export async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new PalimpsestError('MISSING_PACKAGE', { package: name, install: `npm install ${name}` }, { cause: error });
  }
}

/** A package that misses a part of its own is broken, which is told as it is. */
function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' && String(error).includes(`'${name}'`);
}

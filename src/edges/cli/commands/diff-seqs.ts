import { InvalidArgumentError } from 'commander';
import { shellCommand } from '../display/index.ts';

const isSeqs = (value: string) => /^[\d,]+$/.test(value);

/**
 * The values of `--diff` so far, apart or with a comma between them. The option takes all that follows it, a session
 * too: for more than two, throws commander's InvalidArgumentError with the order that does.
 */
export function diffSeqs(value: string, before: readonly string[] = []): readonly string[] {
  const seqs = [...before, ...(isSeqs(value) ? value.split(',').filter((seq) => seq !== '') : [value])];
  if (seqs.length <= 2) return seqs;
  const session = seqs.find((seq) => !isSeqs(seq));
  const [named] = session === undefined ? ['<session>'] : shellCommand([session], Number.POSITIVE_INFINITY);
  const [first, second] = seqs.filter((seq) => seq !== session);
  throw new InvalidArgumentError(
    `It takes the seqs of two events and stands behind the session: palimpsest show ${named} --diff ${first} ${second}`,
  );
}

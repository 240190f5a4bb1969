import { createRequire, register } from 'node:module';

/** What a statement of a driver is to this one. */
interface Statement {
  run(): unknown;
}

type Opened = new (...given: never[]) => { prepare(sql: string): Statement };

const real: { readonly DatabaseSync: Opened } = createRequire(import.meta.url)('@photostructure/sqlite');

/** What happens between the last write of a transaction and its commit. */
export const watch = { beforeCommit: (): void => undefined };

/**
 * The driver's class, whose commits are told before they are made; imported in the name of its package.
 *
 * @public
 */
export class DatabaseSync extends real.DatabaseSync {
  override prepare(sql: string): Statement {
    const statement = super.prepare(sql);
    if (sql !== 'COMMIT') return statement;
    const run = (): unknown => {
      watch.beforeCommit();
      return statement.run();
    };
    return { run };
  }
}

/** From now on in this process, whoever imports the driver's package gets this one. */
export function watchCommits(): void {
  const resolve = `export const resolve = (specifier, context, next) =>
    next(specifier === '@photostructure/sqlite' ? ${JSON.stringify(import.meta.url)} : specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(resolve)}`);
}

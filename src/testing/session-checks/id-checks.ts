import assert from 'node:assert/strict';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, stateOf, textsOf } from '../expectations.ts';
import { says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

/** Checks of ids that come from outside. */
export const idChecks = {
  'ids.refused': async (subject) => {
    const bad = ['', ' a', 'a ', 'a\n', 'a\u0000b', 'a\ud800', 'e\u0301', '\u3000', 'x'.repeat(257)];
    const key = await begin(subject);
    for (const id of bad) {
      for (const field of ['appName', 'userId', 'sessionId'] as const) {
        const wrong = { ...key, [field]: id };
        await refused(subject.first.create(wrong), 'INVALID_ID', { field });
        await refused(subject.first.open(wrong), 'INVALID_ID', { field });
        await refused(subject.first.append(wrong, [says('a')]), 'INVALID_ID', { field });
      }
      await refused(subject.first.create({ ...key, sessionId: 'p', projectId: id }), 'INVALID_ID', {
        field: 'projectId',
      });
      const event = await refused(subject.first.append(key, [says('a', { id })]), 'INVALID_ID');
      assert.match(event.details.field, /\.id$/);
    }
    same((await subject.first.list({ appName: key.appName })).items.length, 1);
  },
  'ids.exact': async (subject) => {
    const ids = [
      'a/b',
      'a:b',
      'a*',
      'a%',
      'a_',
      "a' OR '1'='1",
      'a"b',
      'a b',
      '用户',
      '🙂',
      '__proto__',
      'constructor',
      'A',
      'a',
    ];
    const longest = '𠮷'.repeat(256);
    for (const userId of [...ids, longest]) {
      const key = await begin(subject, { userId, sessionId: userId });
      await subject.first.append(key, [says(userId, { id: userId })]);
      await subject.first.append(key, [sets({ [`user:${userId}`]: userId })]);
    }
    for (const userId of [...ids, longest]) {
      const key = keyIn(subject, userId, userId);
      const listed = await subject.second.list({ appName: key.appName, userId });
      same(
        listed.items.map((info) => info.key),
        [key],
      );
      same(textsOf(await readAll(subject.second, key)), [userId, '']);
      assert.equal(
        JSON.stringify(await stateOf(subject.second, key)),
        `{${JSON.stringify(`user:${userId}`)}:${JSON.stringify(userId)}}`,
      );
    }
  },
} satisfies Checks<SessionSubject>;

import type { Content, ModelRequest } from '../events/index.ts';

/** What stands last where nobody has spoken since the model did: no provider lets it go on from its own words. */
const closing: Content = Object.freeze({
  role: 'user',
  parts: Object.freeze([
    Object.freeze({
      text: '(Nothing more was said. What was waited for has come and stands with its call. Go on from there.)',
    }),
  ]),
});

/**
 * The request, ended on the user's side. It ends with the model's words when the late result of a long-running tool
 * stands with its call, further up. What is added is for this request only.
 */
export function closeRequest(request: ModelRequest): ModelRequest {
  const { contents, transient } = request;
  if (contents.at(-1)?.role !== 'model') return request;
  return Object.freeze({
    ...request,
    contents: [...contents, closing],
    transient: [...transient, contents.length],
  });
}

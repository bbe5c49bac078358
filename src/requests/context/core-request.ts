/** A request as the core performs it: one of a client, or one that the adapter of HTML pages makes of a form. */

import type { HttpRequest } from '../../http/message.ts'
import type { RequestContent } from './request-content.ts'
import type { Target } from './target.ts'

export interface CoreRequest extends HttpRequest {
  /** The target, where it is not what the URI names. */
  readonly resolved?: Target
  /** The idempotency key of a request without the header field; reads the content. */
  findKey?(content: RequestContent): Promise<string | undefined>
  /** Accepts the content, where no media type says how it is read; refuses 400, 413 and 415 by the header fields. */
  acceptContent?(maxOctets: number): RequestContent
}

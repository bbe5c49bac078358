/** Responses that end a request before its method is performed, such as 301, 303 or a replayed 201. */

import type { HttpResponse, ResponseFields } from '../../http/message.ts'

/** Thrown to end a request with this complete response. It is not an Error, because nothing failed. */
export class EarlyResponse {
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    this.response = response
  }
}

/** 301 with the new URI of the resource in Location and in the content. */
export function movedPermanently(location: string, fields: ResponseFields): EarlyResponse {
  return new EarlyResponse({
    status: 301,
    fields: { Location: location, 'Content-Type': 'application/json', ...fields },
    body: JSON.stringify({ location }),
  })
}

/** 303 (RFC 9110 §15.4.4). */
export function seeOther(location: string, fields: ResponseFields = {}): EarlyResponse {
  return new EarlyResponse({
    status: 303,
    body: '',
    fields: { Location: location, 'Cache-Control': 'no-store', ...fields },
  })
}

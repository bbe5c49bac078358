/** A journey that ends early and well, such as in 301. What ends it badly is a Refusal. */

import type { HttpResponse, ResponseFields } from '../http/message.ts'

/** Thrown like a Refusal, so that later steps need not know of it; and no Error either. */
export class EarlyResponse {
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    this.response = response
  }
}

/** 301: the resource has another URI. */
export function movedPermanently(location: string, fields: ResponseFields): EarlyResponse {
  return new EarlyResponse({
    status: 301,
    fields: { Location: location, 'Content-Type': 'application/json', ...fields },
    body: JSON.stringify({ location }),
  })
}

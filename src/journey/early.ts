/** A journey that ends early and well: 301, 304. What ends it badly is a Refusal. */

import type { HttpResponse, ResponseFields } from '../http/message.ts'

/** Thrown like a Refusal, so that later steps need not know of it. */
export class EarlyAnswer extends Error {
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    super(`Answered early with ${response.status}`)
    this.name = 'EarlyAnswer'
    this.response = response
  }
}

/** 301: the resource has another URI. */
export function moved(location: string, fields: ResponseFields): EarlyAnswer {
  return new EarlyAnswer({
    status: 301,
    fields: { Location: location, 'Content-Type': 'application/json', ...fields },
    body: JSON.stringify({ location }),
  })
}

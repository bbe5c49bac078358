/** The parts that features add to a service, such as the key of their secrets. */

import type { Model } from '../../definition/model.ts'
import type { Observer } from '../../observation.ts'
import type { Store } from '../../store/store.ts'

/** The key of a part, with the function that opens it when the service starts. */
export interface ServicePart<Value> {
  open(service: OpeningService): Value | Promise<Value>
}

export interface OpeningService {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly now: () => number
  /** The URL of the mail server; `page`: mails are not sent, and `/mails` shows them. */
  readonly mail: string | undefined
  /** The variables of the environment that the definition names. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

export type ServiceParts = ReadonlyMap<ServicePart<unknown>, unknown>

export async function openParts(
  parts: readonly ServicePart<unknown>[],
  service: OpeningService,
): Promise<ServiceParts> {
  return new Map(await Promise.all(parts.map(async (part) => [part, await part.open(service)] as const)))
}

/** The part of a feature that the service uses. */
export function partOf<Value>({ parts }: { readonly parts: ServiceParts }, part: ServicePart<Value>): Value {
  if (!parts.has(part)) throw new Error('A feature that the service does not use has no part of it')
  // Its own function opened it.
  return parts.get(part) as Value
}

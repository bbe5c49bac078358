/** The requests that the service sends for changes, in the section `webhooks` of an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'

interface DescribedRequests {
  /** The events by name. All refer to one path item. */
  readonly events: JsonSchema
  readonly pathItems: JsonSchema
}

/** Undefined for an audience that may not create items for which requests are sent. */
export function describeSentRequests(parts: readonly AudienceResource[]): DescribedRequests | undefined {
  const sender = parts.find(({ resource }) => resource.traits.sends)
  const sends = sender?.resource.traits.sends
  if (!sends || sender.may.create === 'never') return undefined
  const { name, events, pathItem } = sends
  const sending = parts.filter(({ resource, may }) => resource.declared && may.read !== 'never')
  const names = sending.flatMap(({ resource }) => events.map((kind) => `${resource.name}.${kind}`))
  return {
    events: Object.fromEntries(names.map((one) => [one, { $ref: `#/components/pathItems/${name}` }])),
    pathItems: { [name]: pathItem },
  }
}

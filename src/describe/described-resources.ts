/** The resources that a description shows to its audience, in the shape of the version that it is about. */

import type { Model, ResourceModel } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import { runToEnd } from '../tools/time-slices.ts'
import { audienceResourceInVersion } from './audience-in-version.ts'
import { type Audience, type AudienceResource, findAudienceResource } from './permitted-resources.ts'

/** Returns the resources that the audience may use, in declared order. */
export function audienceResources(model: Model, audience: Audience): readonly AudienceResource[] {
  return runToEnd(audienceResourcesInSlices(model, audience))
}

/** Like `audienceResources`, as a generator that yields after each resource. */
export function* audienceResourcesInSlices(
  model: Model,
  audience: Audience,
): Generator<undefined, readonly AudienceResource[]> {
  const parts: AudienceResource[] = []
  for (const resource of model.resources.values()) {
    const part = findDescribedResource(model, resource, audience)
    if (part) parts.push(part)
    yield
  }
  return parts
}

/** The parts by resource, with those below items, which are no collections of their own. */
export function partsByResource(
  { ownTables }: Model,
  audience: Audience,
  parts: readonly AudienceResource[],
): ReadonlyMap<ResourceModel, AudienceResource> {
  const nested = [...ownTables.values()].filter(isNested)
  const below = nested.flatMap((resource) => findAudienceResource(resource, audience) ?? [])
  return new Map([...parts, ...below].map((part) => [part.present ?? part.resource, part]))
}

/** The parts that an OpenAPI document has, and those that its paths lead to. */
export function describedParts(model: Model, audience: Audience, permitted: readonly AudienceResource[]) {
  const isDescribed = ({ resource }: AudienceResource) => resource.isDescribed
  const byResource = [...partsByResource(model, audience, permitted)].filter(([, part]) => isDescribed(part))
  return { parts: permitted.filter(isDescribed), byResource: new Map(byResource) }
}

/** Returns the part of the resource that the audience may use; undefined when there is none. */
export function findDescribedResource(
  { shownVersion }: Model,
  resource: ResourceModel,
  audience: Audience,
): AudienceResource | undefined {
  const part = findAudienceResource(resource, audience)
  if (!part || !shownVersion) return part
  const isConverted = ({ name }: ResourceModel) => shownVersion.resources.has(name)
  if (isConverted(resource)) return audienceResourceInVersion(shownVersion, { ...part, nested: [] })
  return { ...part, nested: part.nested.filter(({ relation }) => !isConverted(relation.target)) }
}

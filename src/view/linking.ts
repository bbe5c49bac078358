/**
 * The links of a record: to itself, its collection, and the items it refers to that this caller
 * may see. What a link depends on is asked together with the record, as with its shape.
 */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { FieldModel, Model, ResourceModel } from '../declare/model.ts'
import { schemaUri } from '../describe/schemas.ts'
import { type Link, lastingLink } from '../http/link.ts'
import { oncePer } from '../once.ts'
import { type Condition, never, through } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { relationOf } from './relation.ts'
import { type Holds, isDoubtful, type Shape } from './shape.ts'
import { collectionUri, itemUri, referenceUri } from './uri.ts'

export interface Linking {
  readonly asks: readonly Condition[]
  linksOf(row: Row, shape: Shape, holds: Holds): readonly Link[]
}

export function linkingOf(model: Model, resource: ResourceModel, who: Principal): Linking {
  const references = referencesOf(resource)
  if (references.length === 0) return ownLinking(model)(resource)
  const seen = new Map(references.map((field) => [field, sightThrough(field, who)]))
  return {
    asks: [...seen.values()].filter(isDoubtful),
    linksOf(row, shape, holds) {
      const shown = shape.fields.filter(
        (field) => field.ref && row[field.shownAt] !== null && holds(seen.get(field) ?? never),
      )
      const links = shown.map((field) => referenceLink(model, field, row))
      return [...ownLinks(model, resource, row), ...links]
    },
  }
}

const referencesOf = oncePer(({ fields }: ResourceModel) => fields.filter((field) => field.ref))

/** Of records that refer to nothing: the same for every caller. */
const ownLinking = oncePer((model: Model) =>
  oncePer(
    (resource: ResourceModel): Linking => ({
      asks: [],
      linksOf: (row) => ownLinks(model, resource, row),
    }),
  ),
)

function ownLinks(model: Model, resource: ResourceModel, row: Row): readonly Link[] {
  if (!resource.itemMethods.has('GET')) return []
  const self = { target: itemUri(model, resource, row), rel: 'self' }
  return [self, ...upwardLinks(model)(resource)]
}

/** What all items of a collection have in common. */
const upwardLinks = oncePer((model: Model) =>
  oncePer((resource: ResourceModel): readonly Link[] => {
    const collection = lastingLink({ target: collectionUri(model, resource), rel: 'collection' })
    const listed = resource.collectionMethods.has('GET') ? [collection] : []
    return [...listed, describedBy(model, resource)]
  }),
)

/** The schema of an item; whoever sees one may see the other. */
export function describedBy(model: Model, resource: ResourceModel): Link {
  return schemaLinks(model)(resource)
}

const schemaLinks = oncePer((model: Model) =>
  oncePer((resource: ResourceModel) =>
    lastingLink({
      target: schemaUri(model, resource.name),
      rel: 'describedby',
      type: 'application/schema+json',
    }),
  ),
)

/** When the caller may see the item that the field refers to. */
function sightThrough(field: FieldModel, who: Principal): Condition {
  const target = field.ref?.resource
  if (!target?.itemMethods.has('GET')) return never
  const { read } = rightsOf(target, who)
  return isDoubtful(read) ? through(field.name, read) : read
}

function referenceLink(model: Model, field: FieldModel, row: Row): Link {
  // Only fields with a reference come here.
  const target = field.ref?.resource as ResourceModel
  const uri = referenceUri(model, target, String(row[field.shownAt]))
  return { target: uri, rel: relationOf(field.name) }
}

/** /relations and /relations/{name}: the link relations of the definition and their meanings (RFC 8288 §2.1.2). */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { isListableThrough } from '../../access/sub-collection-rights.ts'
import type { JsonValue, Model } from '../../definition/model.ts'
import { refuse } from '../../refusal.ts'
import { relationsBaseUri, type ServiceContext } from '../../requests/context/service-context.ts'
import type { Document } from '../../requests/context/target.ts'
import { createYield } from '../../tools/time-slices.ts'
import { isListable } from '../../views/form-input.ts'
import { relationsUri, relationUri } from '../../views/uri.ts'
import type { EntryTable } from '../../views/view.ts'

const table: EntryTable = {
  title: 'Link relations',
  lead: 'What the links of this service mean.',
  columns: [
    { name: 'name', label: 'Relation', shows: 'code', names: true },
    { name: 'meaning', label: 'Meaning', shows: 'english' },
  ],
}

export const relations: Document = {
  route: '/relations',
  summary: 'The link relations of the definition (RFC 8288)',
  schema: { type: 'array', items: { type: 'object' } },
  name: 'relations',
  table,
  personal: true,
  async load({ service, caller, origin }) {
    const { model } = service
    const meanings = [...(await meaningsFor(model, caller))]
    const data = meanings.map((entry) => describe(service, origin, entry))
    const self = { target: relationsUri(model), rel: 'self' }
    const items = meanings.map(([name]) => ({ target: relationUri(model, name), rel: 'item' }))
    return { data, hypermedia: { links: [self, ...items], actions: [] } }
  },
}

export const relation: Document = {
  route: '/relations/{name}',
  summary: 'What a link relation means',
  schema: { type: 'object' },
  parameter: { type: 'string', pattern: '^[a-z][A-Za-z0-9-]*$' },
  name: 'relation',
  table,
  personal: true,
  async load({ service, caller, origin, target: { parameter = '' } }) {
    const { model } = service
    const meanings = await meaningsFor(model, caller, parameter)
    const found = meanings.get(parameter)
    if (!found) {
      throw refuse('not-found', {
        detail: 'This relation does not exist, or you do not have access to it.',
      })
    }
    const links = [
      { target: relationUri(model, parameter), rel: 'self' },
      { target: relationsUri(model), rel: 'collection' },
    ]
    return { data: describe(service, origin, [parameter, found]), hypermedia: { links, actions: [] } }
  },
}

type Meanings = ReadonlyMap<string, readonly string[]>

function describe(
  service: ServiceContext,
  origin: string,
  [name, meaning]: readonly [string, readonly string[]],
): JsonValue {
  return { relation: relationsBaseUri(service, origin) + name, name, meaning }
}

/** The meanings of the relations that the caller may see, by name; only those of `only` when it is given. */
async function meaningsFor(model: Model, caller: Principal, only?: string): Promise<Meanings> {
  const meanings = new Map<string, readonly string[]>(
    Object.entries(ownMeanings).filter(([name]) => only === undefined || name === only),
  )
  const add = (name: string, meaning: string) => {
    if (only !== undefined && only !== name) return
    meanings.set(name, [...(meanings.get(name) ?? []), meaning])
  }
  const pause = createYield()
  for (const resource of model.resources.values()) {
    if (isListable(resource, caller)) add(resource.name, `The collection ${resource.name}.`)
    const { read, visibility } = rightsOf(resource, caller)
    if (resource.traits.job && read.kind !== 'never') {
      add('result', 'The item that a job has made, or the item of its action.')
    }
    for (const field of read.kind === 'never' ? [] : resource.fields) {
      const target = (field.ref ?? field.refs)?.resource.name
      if (target === undefined || visibility.get(field)?.kind === 'never') continue
      const items = field.ref ? 'The item' : 'One of the items'
      add(field.name, `${items} of ${target} that an item of ${resource.name} names as ${field.name}.`)
    }
    for (const relation of read.kind === 'never' ? [] : resource.relations.values()) {
      if (relation.kind !== 'inverse' || !isListableThrough(relation, caller)) continue
      const { name, target, field } = relation
      add(name, `The items of ${target.name} that name an item of ${resource.name} as ${field.name}.`)
    }
    await pause()
  }
  return meanings
}

/** The relations that every service has. */
const ownMeanings: Readonly<Record<string, readonly string[]>> = {
  account: ['The account of the caller.'],
  events: ['The changes that the caller may see.'],
  audit: ['Changes and sign-ins, for administrators.'],
  aggregate: ['The items of a list, summarised in groups.'],
  batch: ['Takes several writes, which are performed in one transaction or not at all.'],
  'explain-access': ['What an account may do with an item, and why, for administrators.'],
  problems: ['The catalogue of problem types.'],
}

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

export const relations: Document = {
  route: '/relations',
  summary: 'The link relations of the definition (RFC 8288)',
  schema: { type: 'array', items: { type: 'object' } },
  name: 'relations',
  personal: true,
  async loadContent(service, caller, _parameter, origin) {
    const meanings = await meaningsFor(service.model, caller)
    return [...meanings].map((entry) => describe(service, origin, entry))
  },
  async hypermedia({ model }, caller) {
    const self = { target: relationsUri(model), rel: 'self' }
    const names = [...(await meaningsFor(model, caller)).keys()]
    const items = names.map((name) => ({ target: relationUri(model, name), rel: 'item' }))
    return { links: [self, ...items], actions: [] }
  },
}

export const relation: Document = {
  route: '/relations/{name}',
  summary: 'What a link relation means',
  schema: { type: 'object' },
  parameter: { type: 'string', pattern: '^[a-z][A-Za-z0-9-]*$' },
  name: 'relation',
  personal: true,
  async loadContent(service, caller, parameter = '', origin) {
    const meanings = await meaningsFor(service.model, caller, parameter)
    const found = meanings.get(parameter)
    if (!found) {
      throw refuse('not-found', {
        detail: 'This relation does not exist, or you do not have access to it.',
      })
    }
    return describe(service, origin, [parameter, found])
  },
  hypermedia({ model }, _who, parameter = '') {
    const self = { target: relationUri(model, parameter), rel: 'self' }
    return { links: [self, { target: relationsUri(model), rel: 'collection' }], actions: [] }
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

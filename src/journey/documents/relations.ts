/** /relations: the link relations of the definition, each with a page that says what it means. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { JsonValue, Model } from '../../declare/model.ts'
import { refuse } from '../../refusal.ts'
import { createYield } from '../../time-slices.ts'
import { isListed } from '../../view/input.ts'
import { relationsUri, relationUri } from '../../view/uri.ts'
import type { Context } from '../context.ts'
import type { Document } from '../document.ts'
import { relationsAt } from '../relations-uri.ts'

export const relations: Document = {
  route: '/relations',
  summary: 'The link relations of the definition (RFC 8288)',
  schema: { type: 'array', items: { type: 'object' } },
  name: 'relations',
  personal: true,
  async show(context, who, _parameter, origin) {
    const meanings = await meaningsFor(context.model, who)
    return [...meanings].map((one) => describe(context, origin, one))
  },
  async hypermedia({ model }, who) {
    const self = { target: relationsUri(model), rel: 'self' }
    const names = [...(await meaningsFor(model, who)).keys()]
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
  async show(context, who, parameter = '', origin) {
    const meanings = await meaningsFor(context.model, who, parameter)
    const found = meanings.get(parameter)
    if (!found) throw refuse('not-found', { detail: 'No relation of this name that you may see.' })
    return describe(context, origin, [parameter, found])
  },
  hypermedia({ model }, _who, parameter = '') {
    const self = { target: relationUri(model, parameter), rel: 'self' }
    return { links: [self, { target: relationsUri(model), rel: 'collection' }], actions: [] }
  },
}

type Meanings = ReadonlyMap<string, readonly string[]>

function describe(
  context: Context,
  origin: string,
  [name, meaning]: readonly [string, readonly string[]],
): JsonValue {
  return { relation: relationsAt(context, origin) + name, name, meaning }
}

/** What the relations mean that this caller may meet, by name; only those of the one name, if given. */
async function meaningsFor(model: Model, who: Principal, only?: string): Promise<Meanings> {
  const meanings = new Map<string, readonly string[]>(
    Object.entries(ownMeanings).filter(([name]) => only === undefined || name === only),
  )
  const add = (name: string, meaning: string) => {
    if (only !== undefined && only !== name) return
    meanings.set(name, [...(meanings.get(name) ?? []), meaning])
  }
  const rest = createYield()
  for (const resource of model.resources.values()) {
    if (isListed(resource, who)) add(resource.name, `The collection ${resource.name}.`)
    const { read, sight } = rightsOf(resource, who)
    for (const field of read.kind === 'never' ? [] : resource.fields) {
      if (!field.ref || sight.get(field)?.kind === 'never') continue
      const target = field.ref.resource.name
      add(
        field.name,
        `The item of ${target} that an item of ${resource.name} names as ${field.name}.`,
      )
    }
    await rest()
  }
  return meanings
}

/** Those that every service has. */
const ownMeanings: Readonly<Record<string, readonly string[]>> = {
  account: ['The account of the caller.'],
  problems: ['The catalogue of problem types.'],
}

/** /docs: the service in words, with addresses that are really there as examples. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { JsonValue, ResourceModel } from '../../declare/model.ts'
import { documentationOf } from '../../describe/documentation.ts'
import { docsUri, itemUri, openApiUri, problemsUri } from '../../view/uri.ts'
import type { Context } from '../context.ts'
import type { Document } from '../document.ts'

export const docs: Document = {
  route: '/docs',
  summary: 'The documentation of what the caller may use',
  schema: { type: 'object' },
  name: 'docs',
  personal: true,
  async show(context, who) {
    const { model } = context
    const documentation = documentationOf(model, who)
    const names = documentation.resources.map(({ name }) => name)
    const found = await Promise.all(names.map((name) => firstItem(context, who, name)))
    const examples = names.flatMap((name, at) =>
      found[at] === undefined ? [] : [[name, found[at]]],
    )
    const links = {
      'Problem types, with cause and remedy': problemsUri(model),
      'OpenAPI description': openApiUri(model),
    }
    // The documentation is made of JSON values only.
    return {
      ...documentation,
      examples: Object.fromEntries(examples),
      links,
    } as unknown as JsonValue
  },
  hypermedia({ model }) {
    return { links: [{ target: docsUri(model), rel: 'self' }], actions: [] }
  },
}

async function firstItem(
  { model, store }: Context,
  who: Principal,
  name: string,
): Promise<string | undefined> {
  const resource = model.resources.get(name) as ResourceModel
  const { read } = rightsOf(resource, who)
  if (read.kind === 'never' || !resource.itemMethods.has('GET')) return undefined
  const order = [{ column: resource.key?.name ?? '_identity', descending: false }]
  const question = { table: name, condition: read, order, after: undefined, limit: 1, asks: [] }
  const [row] = await store.list(question)
  return row && itemUri(model, resource, row)
}

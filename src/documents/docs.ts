/** /docs: the service in words, with addresses that are really there as examples. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Document } from '../context/target.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import { audienceKey } from '../describe/audience.ts'
import { type Documentation, documentationInSlices } from '../describe/documentation.ts'
import { prepareSection } from '../representations/html/docs-page.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createYield, runInSlices } from '../tools/time-slices.ts'
import { docsUri, itemUri, openApiUri, problemsUri } from '../view/uri.ts'

export const docs: Document = {
  route: '/docs',
  summary: 'The documentation of what the caller may use',
  schema: { type: 'object' },
  name: 'docs',
  personal: true,
  async show(service, caller) {
    const { model } = service
    const documentation = await loadDocumentation(model, caller)
    const examples: [string, string][] = []
    const rest = createYield()
    for (const resource of documentation.resources) {
      prepareSection(model, resource)
      const item = await findFirstItemUri(service, caller, resource.name)
      if (item !== undefined) examples.push([resource.name, item])
      await rest()
    }
    const links = {
      'Problem types, with cause and remedy': problemsUri(model),
      'OpenAPI description': openApiUri(model),
    }
    return { ...documentation, examples: Object.fromEntries(examples), links }
  },
  hypermedia({ model }) {
    return { links: [{ target: docsUri(model), rel: 'self' }], actions: [] }
  },
}

/** The documentation is the same for all callers of one kind; that of the last few kinds is kept. */
async function loadDocumentation(model: Model, caller: Principal): Promise<Documentation> {
  const known = documentations(model)
  const name = audienceKey(caller)
  const kept = known.get(name)
  if (kept) return kept
  const made = await runInSlices(documentationInSlices(model, caller))
  if (known.size >= maxCached) known.clear()
  known.set(name, made)
  return made
}

const documentations = memoizeByObject((_model: Model) => new Map<string, Documentation>())
const maxCached = 5

async function findFirstItemUri(
  { model, store }: ServiceContext,
  caller: Principal,
  name: string,
): Promise<string | undefined> {
  const resource = model.resources.get(name) as ResourceModel
  const { read } = rightsOf(resource, caller)
  if (read.kind === 'never' || !resource.itemMethods.has('GET')) return undefined
  const order = [{ column: resource.key?.name ?? '_identity', descending: false }]
  const rowQuery = { table: name, condition: read, order, after: undefined, limit: 1, evaluate: [] }
  const [row] = await store.list(rowQuery)
  return row && itemUri(model, resource, row)
}

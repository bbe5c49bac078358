/** /docs: the service in words, with addresses that are really there as examples. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { JsonValue, Model, ResourceModel } from '../../declare/model.ts'
import { audienceName } from '../../describe/audience.ts'
import { type Documentation, documentationSteps } from '../../describe/documentation.ts'
import { oncePer } from '../../once.ts'
import { prepareSection } from '../../representations/html/docs-page.ts'
import { createYield, runInSlices } from '../../time-slices.ts'
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
    const documentation = await keptDocumentation(model, who)
    const examples: [string, string][] = []
    const rest = createYield()
    for (const resource of documentation.resources) {
      prepareSection(model, resource)
      const item = await firstItem(context, who, resource.name)
      if (item !== undefined) examples.push([resource.name, item])
      await rest()
    }
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

/** The documentation is the same for all callers of one kind; that of the last few kinds is kept. */
async function keptDocumentation(model: Model, who: Principal): Promise<Documentation> {
  const known = documentations(model)
  const name = audienceName(who)
  const kept = known.get(name)
  if (kept) return kept
  const made = await runInSlices(documentationSteps(model, who))
  if (known.size >= mostKept) known.clear()
  known.set(name, made)
  return made
}

const documentations = oncePer((_model: Model) => new Map<string, Documentation>())
const mostKept = 5

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

/** /docs: the documentation of the service. */

import type { Principal } from '../../access/principal.ts'
import type { Model } from '../../definition/model.ts'
import { type Documentation, documentationInSlices } from '../../describe/documentation.ts'
import { audienceKey } from '../../describe/permitted-resources.ts'
import type { Document } from '../../requests/context/target.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createYield, runInSlices } from '../../tools/time-slices.ts'
import { docsUri, openApiUri, problemsUri } from '../../views/uri.ts'
import { prepareSection } from './docs-page.ts'

export const docs: Document = {
  route: '/docs',
  summary: 'The documentation of what the caller may use',
  schema: { type: 'object' },
  name: 'docs',
  personal: true,
  describesInterface: true,
  async load({ service, caller }) {
    const { model } = service
    const documentation = await loadDocumentation(model, caller)
    const pause = createYield()
    for (const resource of documentation.resources) {
      prepareSection(model, resource)
      await pause()
    }
    const links = {
      'Problem types, with cause and remedy': problemsUri(model),
      'OpenAPI description': openApiUri(model),
    }
    const data = { ...documentation, links }
    return { data, hypermedia: { links: [{ target: docsUri(model), rel: 'self' }], actions: [] } }
  },
}

/** The documentation for the caller, cached: all callers of one audience have the same. */
async function loadDocumentation(model: Model, caller: Principal): Promise<Documentation> {
  const cache = documentationCache(model)
  const name = audienceKey(caller)
  const cached = cache.get(name)
  if (cached) return cached
  const documentation = await runInSlices(documentationInSlices(model, caller))
  if (cache.size >= maxCached) cache.clear()
  cache.set(name, documentation)
  return documentation
}

const documentationCache = memoizeByObject((_model: Model) => new Map<string, Documentation>())
const maxCached = 5

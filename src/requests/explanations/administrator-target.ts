/** Documents below items and lists that only administrators have. To others, their paths lead nowhere. */

import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import type { Model } from '../../definition/model.ts'
import { reservedSegment } from '../../definition/paths.ts'
import { formatPath, parseTarget } from '../../http/request-target.ts'
import { reservedUri } from '../../views/uri.ts'
import type { DocumentTable, DocumentTarget } from '../context/target.ts'
import { withoutBase } from '../decisions/resolve-target.ts'
import { explanationScope } from './access-explanation.ts'

/** The document that the path names, for a caller who may use it. */
export function findAdministratorTarget(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  caller: Principal,
  target: string,
): DocumentTarget | undefined {
  if (!isPermittedAdmin(model, caller, explanationScope)) return undefined
  const parsed = parseTarget(target)
  if (parsed.kind !== 'path' || parsed.hasDotSegments || parsed.hasTrailingSlash) return undefined
  const segments = withoutBase(model.base, parsed.segments) ?? []
  const [collection = '', id, ...rest] = segments.slice(0, -2)
  const [reserved, name = ''] = segments.slice(-2)
  const resource = model.resources.get(collection)
  if (reserved !== reservedSegment || !resource || id === '' || rest.length > 0) return undefined
  const isList = id === undefined
  // No path has these keys.
  const document = documents.get(`/{}${isList ? '' : '/{}'}/-/${name}`)
  const methods = isList ? resource.collectionMethods : resource.itemMethods
  if (!document || !methods.has('GET')) return undefined
  const above = isList ? `/${resource.name}` : `/${resource.name}/{id}`
  return {
    kind: 'document',
    document,
    ...(isList ? {} : { item: { resource, id } }),
    parameter: undefined,
    path: formatPath(model.base, segments),
    query: parsed.query,
    route: reservedUri(above, name),
  }
}

/** `?explain-access=LOGIN`: administrators get an explanation in place of the item; to others the parameter is unknown. */

import { isPermittedAdmin } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import type { Model } from '../../definition/model.ts'
import { parseQueryString } from '../../http/query-string.ts'
import type { DocumentTable, Target } from '../context/target.ts'
import { explainAccessParameter, explanationScope } from './access-explanation.ts'

/** The route of the explanation in the table of documents. */
export const explanationRoute = '/{}/{}?explain-access'

/** The explanation as the target, where the caller asks for one and may; else the same target. */
export function findExplanation(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  caller: Principal,
  method: string,
  target: Target,
): Target {
  if (target.kind !== 'item' || !target.query?.includes('explain') || !isRead(method)) return target
  const isAsked = parseQueryString(target.query)?.some(([name]) => name === explainAccessParameter)
  const document = documents.get(explanationRoute)
  const isWhole = target.within === undefined && target.ownAction === undefined && !target.below
  if (!isAsked || !document || !isWhole || !isPermittedAdmin(model, caller, explanationScope)) return target
  const { resource, id, path, query, route } = target
  return {
    kind: 'document',
    document,
    item: { resource, id, below: [] },
    parameter: undefined,
    path,
    query,
    route,
  }
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The statuses that follow from the facts of an operation: the conventions, once for all kinds of targets. */

import { safeMethods } from '../../http/method.ts'
import type { OperationFacts } from './operations.ts'

/** The callers and the URI of an operation, as its statuses depend on them. */
export interface StatusPlace {
  /** 401 and 403, where it needs a right that not every caller has. */
  readonly callers: readonly number[]
  /** Whether its URI names an item, or an entry of a document. */
  readonly isNamed: boolean
  /** Whether the URI of a deleted item responds with 410. */
  readonly hasTombstones: boolean
  /** Whether a write needs a condition. */
  readonly requiresConditions: boolean
}

/** The refusals of an operation. Those that every request can get besides, such as 406 and 503, are not among them. */
export function refusalsOf(
  method: string,
  operation: OperationFacts,
  { callers, isNamed, hasTombstones, requiresConditions }: StatusPlace,
): readonly number[] {
  const { right, content, conditions, refuses = [] } = operation
  return [
    400,
    429,
    ...(right === 'none' ? [] : callers),
    ...(isNamed ? [404] : []),
    ...(isNamed && hasTombstones ? [410] : []),
    ...(content ? [413, 415, 422] : []),
    ...(conditions ? [412] : []),
    ...(conditions === 'write' && requiresConditions ? [428] : []),
    ...(safeMethods.has(method) ? [] : [507]),
    ...refuses,
  ]
}

/** The redirections of an operation: 301 from a former URI of the item, 304 where the client has the representation. */
export function redirectionsOf({ right, conditions }: OperationFacts, isItem: boolean): readonly number[] {
  return [...(isItem && right !== 'none' ? [301] : []), ...(conditions === 'read' ? [304] : [])]
}

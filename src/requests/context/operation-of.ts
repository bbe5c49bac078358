/** The operations of a target: the only place that tells its kind from what it is, and what its resource permits. */

import { isFileList } from '../../definition/file-fields.ts'
import { fileListMethods, fileMethods, listedFileMethods } from '../../definition/file-methods.ts'
import type { ActionModel, InverseRelation, ResourceModel } from '../../definition/model.ts'
import { type Method, methods } from '../../http/method.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { type OperationFacts, type OperationKind, operations } from './operations.ts'
import type { FileTarget, Target } from './target.ts'

/** The kind of the target in the table of operations. */
export function kindOf(target: Target): OperationKind {
  switch (target.kind) {
    case 'item':
      if (target.below) return 'itemLinks'
      return target.ownAction === undefined ? 'item' : 'ownAction'
    case 'collection':
      if (target.below) return kindsBelowList[target.below]
      return target.parent ? 'subCollection' : 'collection'
    case 'action':
      return kindOfAction(target.action)
    case 'file':
      return isFileList(target.field) && target.fileId === undefined ? 'fileList' : 'file'
    case 'document':
      return target.document.operations ?? 'document'
    default:
      return target.kind
  }
}

/** The kind of an action or a query in the table of operations. */
export function kindOfAction({ isSafe, background, result }: ActionModel) {
  if (isSafe) return queryKinds[result?.kind ?? 'members']
  if (background) return 'job'
  if (result?.kind === 'file') return 'madeFile'
  return result ? 'result' : 'action'
}

const queryKinds = { members: 'query', file: 'fileQuery', items: 'itemsQuery' } as const

const kindsBelowList = {
  links: 'collectionLinks',
  aggregate: 'aggregate',
  events: 'collectionEvents',
} as const

/** A request, as far as its operation depends on it. */
export interface TargetMethod {
  readonly target: Target
  readonly method: Method
}

/** The operation of the method on targets of the kind; undefined where they have none. */
export function operationOfKind(kind: OperationKind, method: string): OperationFacts | undefined {
  const rows: Readonly<Partial<Record<string, OperationFacts>>> = operations[kind]
  return rows[method]
}

/** The operation of the method on this target; undefined where its kind has none. */
export function findOperation({ target, method }: TargetMethod): OperationFacts | undefined {
  return operationOfKind(kindOf(target), method)
}

/** The operation of a method that this target offers. */
export function operationOf(request: TargetMethod): OperationFacts {
  const operation = findOperation(request)
  if (!operation) throw new Error(`A target of kind ${request.target.kind} has no ${request.method}`)
  return operation
}

/** The methods that the target offers, in the order of Allow. */
export function methodsOf(target: Target): ReadonlySet<string> {
  const kind = kindOf(target)
  if ('below' in target && target.below) return methodsBelow(kind, target.resource)
  switch (target.kind) {
    case 'item':
      return target.ownAction === undefined ? target.resource.itemMethods : methodsOfKind('ownAction')
    case 'collection':
      return target.parent ? methodsWithin(target.parent.relation) : target.resource.collectionMethods
    case 'file':
      return methodsOfFile(target)
    case 'document':
      return target.document.methods ? new Set([...target.document.methods, 'OPTIONS']) : methodsOfKind(kind)
    case 'action':
      return methodsOfAction(target.action)
    case 'asterisk':
      return serverMethods
    default:
      return methodsOfKind(kind)
  }
}

/** The methods of a resource below an item or a list; QUERY only where the list has it. */
function methodsBelow(kind: OperationKind, { collectionMethods }: ResourceModel): ReadonlySet<string> {
  const offered = methodsOfKind(kind)
  return collectionMethods.has('QUERY') ? offered : offered.difference(new Set(['QUERY']))
}

/** The methods of a kind. What the resource permits is not regarded. */
export function methodsOfKind(kind: OperationKind): ReadonlySet<string> {
  return methodsOfRows(operations[kind])
}

const methodsOfRows = memoizeByObject((rows: object): ReadonlySet<string> => new Set(Object.keys(rows)))

/** The methods of an action or a query. Parameters cannot express lists of objects. */
export const methodsOfAction = memoizeByObject((action: ActionModel): ReadonlySet<string> => {
  const offered = methodsOfKind(kindOfAction(action))
  const hasObjects = action.input.fields.some(({ members }) => members !== undefined)
  return action.isSafe && hasObjects ? offered.difference(new Set(['GET', 'HEAD'])) : offered
})

/** No request can set a read-only reference, so a sub-collection of it has no POST. */
const methodsWithin = memoizeByObject(({ target, field }: InverseRelation): ReadonlySet<string> => {
  const { collectionMethods } = target
  return field.readOnly ? collectionMethods.difference(new Set(['POST'])) : collectionMethods
})

function methodsOfFile({ resource, field, fileId }: FileTarget): ReadonlySet<string> {
  if (!isFileList(field)) return fileMethods(resource, field)
  return fileId === undefined ? fileListMethods(resource) : listedFileMethods(resource, field)
}

/** RFC 9110 §9.3.7: `OPTIONS *` applies to the server in general. */
const serverMethods: ReadonlySet<string> = new Set(methods)

/** Whether a success can have content. */
export function showsContent({ gives }: OperationFacts): boolean {
  return Object.values(gives).some((shown) => shown !== 'nothing')
}

/** Whether the operation creates the item at its URI, where there is none. */
export function createsAtUri({ mayCreate }: OperationFacts, { put }: ResourceModel): boolean {
  return mayCreate === 'item' && put === 'create'
}

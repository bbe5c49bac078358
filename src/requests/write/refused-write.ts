/** The problems of writes that the store refuses. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { lastAdminRefusal } from '../../access/last-admin.ts'
import type { Principal } from '../../access/principal.ts'
import { rightRefusal } from '../../access/right-refusal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { invalidContent, type Refusal, refuse } from '../../refusal.ts'
import type { ReferringRow, Write } from '../../store/write.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Unit } from '../context/service-context.ts'
import type { WriteTarget } from '../context/target.ts'
import { neededRight } from '../decisions/permission.ts'
import { findVisibleUri } from '../read/find-item.ts'
import { inOldNames } from '../versions/check-old-version-content.ts'
import { LostRace, rowOf } from './lost-race.ts'
import type { PlannedChange, RefusedWrite, WriteProblem } from './planned-change.ts'
import { missingReference } from './reference-lookup.ts'
import { duplicate, type UniqueFields } from './unique-values.ts'

/** The problem of the write of the change that the store refuses. */
export async function problemOf(
  context: RequestContext,
  change: PlannedChange,
  { index, reason }: Pick<RefusedWrite, 'index' | 'reason'>,
): Promise<WriteProblem> {
  // Guards of the caller's credential and the response under the idempotency key follow the writes.
  if (index >= change.writes.length) return new LostRace()
  const refused = { index, reason, write: change.writes[index] }
  const usual = () => usualProblem(context, refused)
  return inOldNames(context, await (change.problemOf ? change.problemOf(refused, usual) : usual()))
}

async function usualProblem(context: RequestContext, { reason, write }: RefusedWrite): Promise<WriteProblem> {
  if (!isOnResource(context)) throw new Error('A change of a document has problems of its own')
  const { unit, caller, target } = context
  const { resource } = target
  switch (reason.kind) {
    case 'stale':
      return new LostRace(rowOf(write))
    case 'response-exists':
      // Another process has stored a response under the same idempotency key; the retry replays it.
      return new LostRace()
    case 'forbidden':
      return tableOf(write) === resource.name
        ? rightRefusal(caller, resource, neededRight(context))
        : callerRefusal(caller)
    case 'duplicate':
      if (isByLogic(target, write)) {
        return refuse('duplicate', { detail: `Another item of '${tableOf(write)}' has the same values.` })
      }
      if (write?.kind === 'insert' && isUriTaken(target, reason.columns)) return new LostRace()
      return duplicate(context, [fieldsOf(resource, reason.columns)])
    case 'missing-reference':
      // A row that logic refers to was deleted after the run read it.
      if (isByLogic(target, write)) return new LostRace()
      // The parent was deleted after it was read; the retry finds it absent.
      if (isParentColumn(target, reason.columns)) return new LostRace()
      return invalidContent(
        reason.columns.flatMap((name) => {
          const field = resource.fieldByName.get(name)
          const target = (field?.ref ?? field?.refs)?.resource
          return field && target ? [missingReference(field, target.name)] : []
        }),
      )
    case 'referenced':
      return referenced(await findVisibleUris(unit, caller, reason.by))
    case 'too-many':
      return refuse('referenced', {
        detail: `Deleting it would delete more than ${reason.limit} other items with it.`,
      })
    case 'no-required-row':
      // The right to the action is gone; the retry refuses it.
      return new LostRace()
    case 'last-row':
      return lastAdminRefusal(unit.model, isOfTarget(target, unit.model.accounts?.resource, write), write)
  }
}

function isOnResource(context: RequestContext): context is RequestContext<WriteTarget> {
  return 'resource' in context.target
}

/** Whether the write changes or deletes the item that the request names, one of the resource. */
function isOfTarget(target: WriteTarget, resource: ResourceModel | undefined, write: Write | undefined) {
  return target.kind === 'item' && target.resource === resource && tableOf(write) === resource.name
}

/** Whether code of the definition makes the write: not the content, whose fields a fault could point to. */
function isByLogic(target: WriteTarget, write: Write | undefined): boolean {
  return target.kind === 'action' || (write !== undefined && tableOf(write) !== target.resource.name)
}

function tableOf(write: Write | undefined): string | undefined {
  return write && 'table' in write ? write.table : undefined
}

function isParentColumn(target: WriteTarget, columns: readonly string[]): boolean {
  return target.kind === 'collection' && columns.includes(target.parent?.relation.field.name ?? '')
}

/** A unique index that another program created may have columns without a field. */
function fieldsOf({ fieldByName }: ResourceModel, columns: readonly string[]): UniqueFields {
  return columns.flatMap((name) => fieldByName.get(name) ?? [])
}

/** Whether another request has created the item at the target of the PUT. */
function isUriTaken({ kind, resource }: WriteTarget, columns: readonly string[]) {
  return kind === 'item' && columns.includes(resource.keyField?.name ?? '_identity')
}

function referenced(by: readonly string[]): Refusal {
  const uris = by.length === 0 ? '' : `: ${by.slice(0, 3).join(', ')}${by.length > 3 ? ' …' : ''}`
  return refuse('referenced', {
    detail: `Other items refer to it${uris}.`,
    members: by.length === 0 ? {} : { by },
  })
}

/** The URIs of the rows that the caller may read, each once. That there are others is not secret. */
async function findVisibleUris(unit: Unit, caller: Principal, rows: readonly ReferringRow[]) {
  const uris = await Promise.all(
    rows.map(({ table, identity }) => {
      const resource = unit.model.resources.get(table) as ResourceModel
      return findVisibleUri(unit, caller, resource, identity)
    }),
  )
  return [...new Set(uris)].filter((uri) => uri !== undefined)
}

/**
 * Encodes tasks for structured clone between threads and processes. Property names are most of its
 * cost, so the usual writes become arrays, and the condition `always` becomes `true`.
 */

import type { Stored } from '../../../definition/model.ts'
import type { Attribution } from '../../change-log.ts'
import { always, type Condition } from '../../condition.ts'
import type { Row } from '../../row.ts'
import type { DeleteWrite, InsertWrite, UpdateWrite, Write } from '../../write.ts'
import type { Task } from './group-commit.ts'

type PackedCondition = true | Condition

type PackedWrite =
  | readonly ['insert', table: string, readonly Stored[], result: PackedCondition, loggedAt?: string]
  | readonly [
      'update',
      table: string,
      readonly Stored[],
      result: PackedCondition,
      identity: string,
      version: number,
      guard: PackedCondition,
      previous: Row,
      action: string | undefined,
      attribution: Attribution | undefined,
    ]
  | readonly [
      'delete',
      table: string,
      identity: string,
      version: number,
      guard: PackedCondition,
      at: string,
      clearedTables: readonly string[],
    ]
  | readonly ['other', Exclude<Write, InsertWrite | UpdateWrite | DeleteWrite>]

type PackedWrites = readonly [actor: string | null, request: string | null, readonly PackedWrite[]]

export type EncodedTask = PackedWrites | Exclude<Task, { kind: 'write' }>

export function encodeTask(task: Task): EncodedTask {
  if (task.kind !== 'write') return task
  const { actor, request } = task.attribution
  return [actor, request, task.writes.map(packWrite)]
}

export function decodeTask(packed: EncodedTask): Task {
  // A tuple type does not tell itself from an object by `Array.isArray` alone.
  if ('kind' in packed) return packed
  const [actor, request, writes] = packed
  return { kind: 'write', writes: writes.map(unpackWrite), attribution: { actor, request } }
}

function packWrite(write: Write): PackedWrite {
  switch (write.kind) {
    case 'insert':
      return packInsert(write)
    case 'update': {
      const { table, values, identity, version, previous, action, attribution } = write
      const [result, guard] = [packCondition(write.conditionAfter), packCondition(write.conditionBefore)]
      return ['update', table, values, result, identity, version, guard, previous, action, attribution]
    }
    case 'delete': {
      const { table, identity, version, conditionBefore, at, clearedTables = [] } = write
      return ['delete', table, identity, version, packCondition(conditionBefore), at, clearedTables]
    }
    default:
      return ['other', write]
  }
}

function packInsert({ table, values, conditionAfter, loggedAt }: InsertWrite): PackedWrite {
  const packed = ['insert', table, values, packCondition(conditionAfter)] as const
  return loggedAt === undefined ? packed : [...packed, loggedAt]
}

function unpackWrite(packed: PackedWrite): Write {
  switch (packed[0]) {
    case 'insert': {
      const [kind, table, values, conditionAfter, loggedAt] = packed
      return { kind, table, values, conditionAfter: unpackCondition(conditionAfter), loggedAt }
    }
    case 'update': {
      const [kind, table, values, result, identity, version, guard, previous, action, attribution] = packed
      const conditions = { conditionAfter: unpackCondition(result), conditionBefore: unpackCondition(guard) }
      return { kind, table, values, identity, version, previous, action, attribution, ...conditions }
    }
    case 'delete': {
      const [kind, table, identity, version, conditionBefore, at, clearedTables] = packed
      return {
        kind,
        table,
        identity,
        version,
        conditionBefore: unpackCondition(conditionBefore),
        at,
        clearedTables,
      }
    }
    case 'other':
      return packed[1]
  }
}

function packCondition(condition: Condition): PackedCondition {
  return condition.kind === 'always' ? true : condition
}

function unpackCondition(packed: PackedCondition): Condition {
  return packed === true ? always : packed
}

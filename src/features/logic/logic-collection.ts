/** A collection as logic uses it: the methods of the client, on the reads and writes of one run. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import {
  changesCredentials,
  givesRoles,
  requireCredentialsRight,
  requireGrant,
} from '../../access/given-roles.ts'
import { isOwnAccount, type Principal } from '../../access/principal.ts'
import { suspendOnUpdate } from '../../access/revocation.ts'
import { rightsOf } from '../../access/rights.ts'
import { CREATED_AT, IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { createListQuery, parseListParameters, storeOrder } from '../../query/list-query.ts'
import { Refusal, refuse } from '../../refusal.ts'
import { findById } from '../../requests/read/find-item.ts'
import { applyTransitionEffects } from '../../requests/read/transition-effects.ts'
import type { RecordDraft } from '../../requests/write/draft-builder.ts'
import { draftCreation, draftMerge, draftReplacement } from '../../requests/write/draft-from-content.ts'
import { encodeValues, hasPasswords } from '../../requests/write/encode-values.ts'
import { evaluateTransitions } from '../../requests/write/state-transition.ts'
import { all, type Condition } from '../../store/condition.ts'
import { type Row, versionOf } from '../../store/row.ts'
import { isUnchanged, nextUpdate } from '../../store/row-fields.ts'
import type { Order } from '../../store/row-query.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import type { CollectedRun } from './collected-run.ts'
import type { LogicRecord } from './logic-records.ts'

type Query = Readonly<Record<string, unknown>>

/** The methods; `LogicCollection` has their types for the resources of a definition. */
export interface LogicMethods {
  list(query?: Query): Promise<readonly LogicRecord[]>
  count(query?: Query): Promise<number>
  get(id: string): Promise<LogicRecord>
  create(item: object): Promise<LogicRecord>
  patch(id: string, changes: object): Promise<LogicRecord>
  replace(id: string, item: object): Promise<LogicRecord>
  remove(id: string): Promise<void>
}

/** The collection with the rights of a caller. Its promises reject with a LogicProblem where a request would be refused. */
export function createCollection(within: CollectionContext): LogicMethods {
  const { run, resource } = within
  const named =
    <Args extends unknown[], Result>(name: string, work: (...args: Args) => Promise<Result>) =>
    (...args: Args) => {
      const result = asProblem(`${resource.name}.${name}`, () => run.call(() => work(...args)))
      // A call that is not awaited must not end the process.
      result.catch(() => undefined)
      return result
    }
  return {
    list: named('list', (query?: Query) => list(within, query ?? {})),
    count: named('count', (query?: Query) => count(within, query ?? {})),
    get: named('get', (id: string) => get(within, id)),
    create: named('create', (item: object) => create(within, item)),
    patch: named('patch', (id: string, changes: object) =>
      change(within, id, (writer, row) => draftMerge(writer, changes, row)),
    ),
    replace: named('replace', (id: string, item: object) =>
      change(within, id, (writer, row) => draftReplacement(writer, item, row)),
    ),
    remove: named('remove', (id: string) => remove(within, id)),
  }
}

export interface CollectionContext {
  readonly run: CollectedRun
  readonly resource: ResourceModel
  readonly caller: Principal
  /** Undefined in hooks: hashing a password takes longer than a hook may. */
  readonly hashPassword?: ((password: string) => Promise<string>) | undefined
}

/** A request of logic that was refused: the type and the detail of the problem. */
export class LogicProblem extends Error {
  readonly type: string
  readonly status: number

  constructor(call: string, refusal: Refusal) {
    const faults = refusal.options.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`) ?? []
    super([`${call}: ${refusal.message}`, ...faults].join(' '), { cause: refusal })
    this.name = 'LogicProblem'
    this.type = refusal.type
    this.status = refusal.status
  }
}

/** The result of the work, whose refusals become LogicProblems that name the call. */
export async function asProblem<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? new LogicProblem(call, error) : error
  }
}

async function list({ run, resource, caller }: CollectionContext, query: Query) {
  const { condition, order, limit } = parseLogicQuery({ run, resource, caller }, query)
  const { checks, toRecords } = run.reader(resource, caller, 'list')
  const rows = await run.store.list({
    table: resource.name,
    condition: all([rightsOf(resource, caller).read, condition]),
    order,
    after: undefined,
    limit,
    evaluated: checks.conditions,
  })
  return toRecords(rows)
}

async function count({ run, resource, caller }: CollectionContext, query: Query) {
  const { condition } = parseLogicQuery({ run, resource, caller }, query)
  return run.store.count(resource.name, all([rightsOf(resource, caller).read, condition]))
}

/** The query in the form of a query string, which has the same meaning as in a request. */
function parseLogicQuery({ run, resource, caller }: CollectionContext, query: Query) {
  const text = formatQueryString(Object.entries(query).flatMap(parametersOf))
  const parameters = parseListParameters({ resource, within: undefined }, { caller }, text)
  const parsed = createListQuery(parameters, undefined, run.service.cursors)
  return { condition: parsed.condition, order: storeOrder(parsed).map(plainOrder), limit: parsed.limit }
}

/** Only the data that the store needs: the read is sent to the writer with the writes. */
function plainOrder({ column, descending, through, derived }: Order): Order {
  return { column, descending, through, derived }
}

function parametersOf([name, value]: readonly [string, unknown]): [string, string][] {
  if (value === undefined) return []
  if (Array.isArray(value)) return [[name, value.join(',')]]
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).map(([operator, operand]) => [
    operator === 'eq' ? name : `${name}[${operator}]`,
    [operand].flat().join(','),
  ])
}

async function get({ run, resource, caller }: CollectionContext, id: string): Promise<LogicRecord> {
  const { read } = rightsOf(resource, caller)
  const { checks, toRecords } = run.reader(resource, caller, 'item', [read])
  const row = await findById(run.store, resource, id, checks.conditions)
  const [record] = row && checks.readResults(row)(read) ? await toRecords([row]) : []
  if (!record) throw absent(id)
  return record
}

function absent(id: string) {
  return refuse('not-found', { detail: `There is no '${id}'.` })
}

async function create(within: CollectionContext, item: object) {
  const { run, resource, caller } = within
  const rights = rightsOf(resource, caller)
  if (rights.create.kind === 'never') throw callerRefusal(caller)
  const mayHold = ({ kind }: Condition) => kind !== 'never'
  const draft = draftCreation({ resource, rights, isTrue: mayHold }, item)
  const fields = await encodeValues(run.service, caller, resource.fields, draft, undefined)
  const values: Stored[] = [randomUUIDv7(), 1, run.now, run.now, ...fields]
  requireGrantedRoles(within, undefined, values)
  await setPasswords(within, draft, values)
  for (const { fromPrincipal, index } of resource.fields) {
    if (fromPrincipal) values[index] ??= accountOf(run.request.caller)
  }
  const written = await run.insert({ resource, values, conditionAfter: rights.create })
  const record = await run.recordWith(resource, caller, written)
  run.made.set(record, { resource, identity: String(written[IDENTITY]) })
  return record
}

async function change(
  within: CollectionContext,
  id: string,
  draftOf: (writer: Parameters<typeof draftMerge>[0], row: Row) => RecordDraft,
) {
  const { run, resource, caller } = within
  const rights = rightsOf(resource, caller)
  const conditions = [
    rights.read,
    rights.update,
    ...rights.visibility.values(),
    ...rights.writability.values(),
    ...rights.transitions.values(),
  ]
  const checks = createRowChecks(resource, conditions)
  const row = await findById(run.store, resource, id, checks.conditions)
  if (!row || !checks.readResults(row)(rights.read)) throw absent(id)
  const writer = { resource, rights, isTrue: checks.readResults(row) }
  if (!writer.isTrue(rights.update)) throw callerRefusal(caller)
  const draft = draftOf(writer, row)
  const { taken, conflict, forbidden } = evaluateTransitions(writer, draft, row)
  if (conflict) throw conflict
  if (forbidden) throw forbidden
  const sent = await encodeValues(run.service, caller, resource.fields, draft, row)
  const fields = applyTransitionEffects(resource, taken, sent, run.now)
  const head = [row[IDENTITY] ?? null, versionOf(row) + 1, row[CREATED_AT] ?? null, nextUpdate(row, run.now)]
  const values = [...head, ...fields]
  requireGrantedRoles(within, row, values)
  await setPasswords(within, draft, values)
  requireGrantedCredentials(within, row, values)
  if (isUnchanged(row, resource.fields, values)) return run.recordWith(resource, caller, row)
  const { code } = run
  const isOwnAction = code?.kind === 'action' && code.resource === resource
  const action = isOwnAction ? code.name : taken[0]?.name
  const written = await run.replace({ resource, row, values, action, right: rights.update })
  const changed = { before: row, after: written, isOwn: false, at: run.now }
  for (const write of await suspendOnUpdate(run.service, resource, changed)) {
    // The run repeats its reads by itself.
    if (write.kind === 'update' || write.kind === 'delete') run.add(write)
  }
  return run.recordWith(resource, caller, written)
}

/** Refuses 403 code that gives roles to a token without the scope for it. Hooks act for the definition alone. */
function requireGrantedRoles(
  { run: { code }, resource }: CollectionContext,
  before: Row | undefined,
  after: readonly Stored[],
): void {
  if (code && givesRoles(resource, before, after)) requireGrant(resource, code.user)
}

/** Refuses 403 code that takes over an account with a credential that could not change it itself. */
function requireGrantedCredentials(
  { run: { code, service }, resource }: CollectionContext,
  before: Row,
  after: readonly Stored[],
): void {
  const { accounts } = service.model
  if (!code || accounts?.resource !== resource || !changesCredentials(accounts, before, after)) return
  if (code.kind === 'program' && isOwnAccount(code.user, before)) throw unprovenChange
  requireCredentialsRight(accounts, code.user, before)
}

const unprovenChange = refuse('forbidden', {
  detail:
    'Your password and login are changed by a request to your account, which proves your present password.',
})

/** The account that a field refers to which the service sets itself. */
function accountOf(caller: Principal): string | null {
  return caller.kind === 'account' ? caller.identity : null
}

async function setPasswords({ hashPassword }: CollectionContext, draft: RecordDraft, values: Stored[]) {
  if (!hasPasswords(draft)) return
  if (!hashPassword) throw refuse('forbidden', { detail: 'Logic cannot set passwords.' })
  for (const [{ kind, index }, value] of draft.values) {
    if (kind.isHashed && value !== undefined) values[index] = await hashPassword(String(value))
  }
}

async function remove(within: CollectionContext, id: string): Promise<void> {
  const { run, resource, caller } = within
  const { read, delete: conditionBefore } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read, conditionBefore])
  const row = await findById(run.store, resource, id, checks.conditions)
  if (!row || !checks.readResults(row)(read)) throw absent(id)
  if (!checks.readResults(row)(conditionBefore)) throw callerRefusal(caller)
  await run.remove({ resource, row, conditionBefore })
}

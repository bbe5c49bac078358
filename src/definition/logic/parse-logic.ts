/** Reads the logic of a definition: the code by resource. Reports unknown resources, hooks and fields. */

import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  anyValue,
  checkOptions,
  formatValue,
  functionOf,
  nonEmptyText,
  type OptionsOf,
  type OptionTable,
  objectOption,
} from '../option-table.ts'
import type { DeclaredResource } from '../resource-declaration.ts'
import { systemFields } from '../system-fields.ts'
import { parseCron } from './cron.ts'
import type { HookModel, LogicModel, RecordCheckModel, ScheduleModel } from './logic-model.ts'
import { type DeclaredAction, parseActions } from './parse-actions.ts'

/** The logic of a resource, and its actions, which become part of its model. */
export interface DeclaredLogic {
  readonly logic: LogicModel
  readonly actions: readonly DeclaredAction[]
}

export interface ParsedLogic {
  /** By resource; that of the service itself has its own name. */
  readonly logic: ReadonlyMap<string, DeclaredLogic>
  /** Unchecked. */
  readonly routes: unknown
}

/** Returns the logic of each resource that has some, and of the service; reports everything that is not valid. */
export function parseLogic(
  given: unknown,
  declarations: ReadonlyMap<string, DeclaredResource>,
  faults: FaultList,
): ParsedLogic {
  const ofResources = parseLogicOfResources(given, declarations, faults)
  const { own, routes } = parseServiceLogic(given, declarations, faults)
  return { logic: own ? new Map([...ofResources, [serviceName, own]]) : ofResources, routes }
}

function parseLogicOfResources(
  given: unknown,
  declarations: ReadonlyMap<string, DeclaredResource>,
  faults: FaultList,
): ReadonlyMap<string, DeclaredLogic> {
  const found = new Map<string, DeclaredLogic>()
  if (given === undefined) return found
  if (!objectOption.accepts(given)) {
    faults.at()(
      `The logic must be an object, not ${formatValue(given)}.`,
      'Write: service({ … }, { tasks: { … } }).',
    )
    return found
  }
  for (const [name, value] of Object.entries(given)) {
    if (name === serviceKey) continue
    const declaration = declarations.get(name)
    const report = prefixReport('Logic', faults.at(name))
    if (declaration) found.set(name, parseResourceLogic(value, { declaration, declarations, report }))
    else reportUnknownResource(name, declarations, faults.at())
  }
  return found
}

/** The key of the code of the service itself. */
const serviceKey = '/'

/** The name of the service itself among resources, in scopes and in the log. */
export const serviceName = 'service'

const serviceTable = {
  actions: anyValue,
  queries: anyValue,
  schedules: anyValue,
  routes: anyValue,
} satisfies OptionTable

interface DeclaredServiceLogic {
  /** Its actions, queries and schedules; undefined: it has none. */
  readonly own: DeclaredLogic | undefined
  /** Unchecked; undefined without any. */
  readonly routes: unknown
}

/** Returns the code of the service itself; reports everything that is not valid. */
function parseServiceLogic(
  given: unknown,
  declarations: ReadonlyMap<string, DeclaredResource>,
  faults: FaultList,
): DeclaredServiceLogic {
  const code = objectOption.accepts(given) ? given[serviceKey] : undefined
  const report = prefixReport("Logic '/'", faults.at())
  if (code === undefined) return { own: undefined, routes: undefined }
  if (!objectOption.accepts(code)) {
    report(`Must be an object, not ${formatValue(code)}.`, "Write: '/': { actions: { … }, routes: { … } }.")
    return { own: undefined, routes: undefined }
  }
  const { routes, schedules, ...operations } = checkOptions(code, serviceTable, report)
  const actions = parseActions(operations, {
    collections: [...declarations.keys()],
    report,
    isOfService: true,
  })
  const atTimes = parseSchedules(schedules, prefixReport('schedules', report))
  const isUsed = actions.length > 0 || Object.keys(atTimes).length > 0
  const logic = { checks: [], before: {}, after: {}, schedules: atTimes }
  return { own: isUsed ? { logic, actions } : undefined, routes }
}

function reportUnknownResource(
  name: string,
  declarations: ReadonlyMap<string, DeclaredResource>,
  report: FaultReport,
): void {
  const names = [...declarations.keys()]
  report(
    `Logic for an unknown resource '${name}'.`,
    didYouMean(name, names) ?? `Expected: ${names.join(', ')}.`,
  )
}

const logicTable = {
  checks: anyValue,
  before: anyValue,
  after: anyValue,
  actions: anyValue,
  queries: anyValue,
  schedules: anyValue,
} satisfies OptionTable

const hook = functionOf<HookModel>()
const beforeTable = { create: hook, update: hook, delete: hook } satisfies OptionTable
const afterTable = { created: hook, updated: hook, deleted: hook } satisfies OptionTable

interface LogicPlace {
  readonly declaration: DeclaredResource
  readonly declarations: ReadonlyMap<string, DeclaredResource>
  readonly report: FaultReport
}

function parseResourceLogic(
  given: unknown,
  { declaration, declarations, report }: LogicPlace,
): DeclaredLogic {
  if (!objectOption.accepts(given)) {
    report(`Must be an object, not ${formatValue(given)}.`)
    return { logic: { checks: [], before: {}, after: {}, schedules: {} }, actions: [] }
  }
  const options = checkOptions(given, logicTable, report)
  return {
    logic: {
      checks: parseChecks(options.checks, declaration, report),
      before: parseHooks('before', options.before, beforeTable, report),
      after: parseHooks('after', options.after, afterTable, report),
      schedules: parseSchedules(options.schedules, prefixReport('schedules', report)),
    },
    actions: parseActions(options, { collections: [...declarations.keys()], report, isOfService: false }),
  }
}

/** The functions by their names; `place` is the option that has them. */
function parseHooks<Table extends typeof beforeTable | typeof afterTable>(
  place: 'before' | 'after',
  given: unknown,
  table: Table,
  reportFault: FaultReport,
): OptionsOf<Table> {
  if (given === undefined) return {}
  const report = prefixReport(place, reportFault)
  if (objectOption.accepts(given)) return checkOptions(given, table, report)
  const [example] = Object.keys(table)
  report(
    `Must be an object, not ${formatValue(given)}.`,
    `Write: ${place}: { ${example}(item, tools) { … } }.`,
  )
  return {}
}

function parseChecks(
  given: unknown,
  declaration: DeclaredResource,
  report: FaultReport,
): readonly RecordCheckModel[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) {
    report(`'checks' must be a list, not ${formatValue(given)}.`, 'Write: checks: [check(…)].')
    return []
  }
  return given.flatMap((one: unknown, at) =>
    parseCheck(one, declaration, prefixReport(`checks[${at}]`, report)),
  )
}

const checkFunction = functionOf<RecordCheckModel['test']>()

function parseCheck(
  given: unknown,
  declaration: DeclaredResource,
  report: FaultReport,
): readonly RecordCheckModel[] {
  const { field, message, test } = objectOption.accepts(given) ? given : {}
  if (!checkFunction.accepts(test)) {
    report(`Not a check: ${formatValue(given)}.`, "Write: check('field', 'What must hold.', (item) => …).")
    return []
  }
  if (!nonEmptyText.accepts(message)) {
    report(`The message must be ${nonEmptyText.expected}, not ${formatValue(message)}.`)
  }
  const names = [...declaration.names, ...systemFields.keys(), 'id']
  if (typeof field !== 'string' || !names.includes(field)) {
    const suggestion = typeof field === 'string' ? didYouMean(field, names) : undefined
    report(`Unknown field ${formatValue(field)} in ${declaration.name}.`, suggestion)
  }
  return [{ field: String(field), message: String(message), test }]
}

const scheduleExample = "Write: schedules: { nightly: schedule('0 3 * * *', async (tools) => { … }) }."

function parseSchedules(given: unknown, report: FaultReport): LogicModel['schedules'] {
  if (given === undefined) return {}
  if (!objectOption.accepts(given)) {
    report(`Must be an object, not ${formatValue(given)}.`, scheduleExample)
    return {}
  }
  const schedules = Object.entries(given).flatMap(([name, value]) => {
    const schedule = parseSchedule(name, value, prefixReport(name, report))
    return schedule ? [[name, schedule] as const] : []
  })
  return Object.fromEntries(schedules)
}

const scheduleFunction = functionOf<ScheduleModel['run']>()

function parseSchedule(name: string, given: unknown, report: FaultReport): ScheduleModel | undefined {
  if (!/^[a-z][A-Za-z0-9]{0,19}$/.test(name)) {
    report('The name must be at most 20 letters and digits, beginning with a lower-case letter.')
    return undefined
  }
  const { cron: text, run } = objectOption.accepts(given) ? given : {}
  if (typeof text !== 'string' || !scheduleFunction.accepts(run)) {
    report(`Not a schedule: ${formatValue(given)}.`, scheduleExample)
    return undefined
  }
  const cron = parseCron(text)
  if (typeof cron === 'string') {
    report(cron, "Write it like '0 3 * * *': every day at 03:00 UTC.")
    return undefined
  }
  return { cron, text, run }
}

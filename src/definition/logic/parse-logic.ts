/** Reads the logic of a definition: the code by resource. Reports unknown resources, hooks and fields. */

import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import { didYouMean } from '../name-suggestion.ts'
import { formatValue, nonEmptyText, type Options, objectOption } from '../option-table.ts'
import type { DeclaredResource } from '../resource-declaration.ts'
import { systemFields } from '../system-fields.ts'
import { parseCron } from './cron.ts'
import type {
  AfterHookName,
  BeforeHookName,
  HookModel,
  LogicModel,
  RecordCheckModel,
  ScheduleModel,
} from './logic-model.ts'
import { type DeclaredAction, parseActions } from './parse-actions.ts'

/** The logic of a resource, and its actions, which become part of its model. */
export interface DeclaredLogic {
  readonly logic: LogicModel
  readonly actions: readonly DeclaredAction[]
}

/** Returns the logic of each resource that has some; reports everything that is not valid. */
export function parseLogic(
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
  for (const [name, value] of Object.entries(given as Options)) {
    const declaration = declarations.get(name)
    const report = prefixReport('Logic', faults.at(name))
    if (declaration) found.set(name, parseResourceLogic(value, { declaration, declarations, report }))
    else reportUnknownResource(name, declarations, faults.at())
  }
  return found
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

/** The hooks of a resource: each reads its value. */
const hooks: readonly string[] = ['checks', 'before', 'after', 'actions', 'schedules']
const beforeHooks: readonly BeforeHookName[] = ['create', 'update', 'delete']
const afterHooks: readonly AfterHookName[] = ['created', 'updated', 'deleted']

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
  const options = given as Options
  reportUnknownHooks(options, hooks, report)
  return {
    logic: {
      checks: parseChecks(options.checks, declaration, report),
      before: parseHooks('before', options.before, beforeHooks, report),
      after: parseHooks('after', options.after, afterHooks, report),
      schedules: parseSchedules(options.schedules, prefixReport('schedules', report)),
    },
    actions: parseActions(options.actions, [...declarations.keys()], report),
  }
}

function reportUnknownHooks(options: Options, known: readonly string[], report: FaultReport): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    report(`Unknown hook '${name}'.`, didYouMean(name, known) ?? `Expected: ${known.join(', ')}.`)
  }
}

/** The functions by their names; `place` is the option that has them. */
function parseHooks(
  place: 'before' | 'after',
  given: unknown,
  known: readonly string[],
  reportFault: FaultReport,
): Readonly<Partial<Record<string, HookModel>>> {
  if (given === undefined) return {}
  const report = prefixReport(place, reportFault)
  if (!objectOption.accepts(given)) {
    report(
      `Must be an object, not ${formatValue(given)}.`,
      `Write: ${place}: { ${known[0]}(item, tools) { … } }.`,
    )
    return {}
  }
  const options = given as Options
  reportUnknownHooks(options, known, report)
  const functions = Object.entries(options).filter(([name, value]) => {
    if (typeof value === 'function') return true
    if (value !== undefined) report(`'${name}' must be a function, not ${formatValue(value)}.`)
    return false
  })
  return Object.fromEntries(functions as [string, HookModel][])
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

function parseCheck(
  given: unknown,
  declaration: DeclaredResource,
  report: FaultReport,
): readonly RecordCheckModel[] {
  if (!objectOption.accepts(given) || typeof (given as Options).test !== 'function') {
    report(`Not a check: ${formatValue(given)}.`, "Write: check('field', 'What must hold.', (item) => …).")
    return []
  }
  const { field, message, test } = given as {
    field: unknown
    message: unknown
    test: RecordCheckModel['test']
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
  const schedules = Object.entries(given as Options).flatMap(([name, value]) => {
    const schedule = parseSchedule(name, value, prefixReport(name, report))
    return schedule ? [[name, schedule] as const] : []
  })
  return Object.fromEntries(schedules)
}

function parseSchedule(name: string, given: unknown, report: FaultReport): ScheduleModel | undefined {
  if (!/^[a-z][A-Za-z0-9]{0,19}$/.test(name)) {
    report('The name must be at most 20 letters and digits, beginning with a lower-case letter.')
    return undefined
  }
  const { cron: text, run } = Object(given) as Options
  if (typeof text !== 'string' || typeof run !== 'function') {
    report(`Not a schedule: ${formatValue(given)}.`, scheduleExample)
    return undefined
  }
  const cron = parseCron(text)
  if (typeof cron === 'string') {
    report(cron, "Write it like '0 3 * * *': every day at 03:00 UTC.")
    return undefined
  }
  return { cron, text, run: run as ScheduleModel['run'] }
}

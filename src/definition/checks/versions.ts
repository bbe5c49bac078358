/** Checks the options `name` and `versions`, and creates the versions of the interface. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { parseUnstoredField } from '../logic/parse-actions.ts'
import {
  type InterfaceVersion,
  outputFields,
  type ResourceModel,
  type ResourceVersion,
  type VersionConversion,
} from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  type Expectation,
  functionOf,
  listOfTexts,
  type Options,
  type OptionsOf,
  type OptionTable,
  objectOption,
} from '../option-table.ts'
import { isSegment } from '../paths.ts'
import { createResourceModel } from '../resource-model.ts'
import { systemFields } from '../system-fields.ts'
import type { CheckContext } from './check-context.ts'
import { checkDefault } from './fields.ts'
import { memberReservation, reservation, systemNames } from './names.ts'

/** The name of the service, and of a version, in a media type. */
export const mediaTypeName: Expectation<string> = {
  expected: "a name in lower case with hyphens, such as 'tracker'",
  accepts: (value): value is string => typeof value === 'string' && isSegment(value),
}

export const resourceVersionTable = {
  fields: objectOption,
  without: listOfTexts,
  renamed: objectOption,
  down: functionOf<VersionConversion['down']>(),
  up: functionOf<VersionConversion['up']>(),
} satisfies OptionTable

const dateOption: Expectation<string> = {
  expected: "a date such as '2027-01-01', or a timestamp",
  accepts: (value): value is string => parseDate(value) !== undefined,
}

export const versionDateTable = { deprecated: dateOption, sunset: dateOption } satisfies OptionTable

/** The parts of a definition that the checks of its versions use. */
type VersionContext = Pick<CheckContext, 'declarations' | 'models' | 'faults'>

/** Returns the versions by name; none where the definition declares none. */
export function checkVersions(
  { name, versions }: Options,
  context: VersionContext,
): ReadonlyMap<string, InterfaceVersion> {
  if (versions === undefined) return new Map()
  const report = context.faults.at()
  if (name === undefined) {
    report("The option 'versions' needs the option 'name'.", "Add name: 'tracker', for media types.")
  }
  if (!objectOption.accepts(versions)) return new Map()
  const entries = Object.entries(versions).map(([version, given]) => {
    const reportVersion = prefixReport(`versions.${version}`, report)
    if (!isSegment(version)) {
      reportVersion(`The name of a version must be ${mediaTypeName.expected.replace('tracker', 'v1')}.`)
    }
    const mediaType = `application/x.${name}.${version}+json`
    return [
      version,
      { name: version, mediaType, ...checkVersion(version, given, context, reportVersion) },
    ] as const
  })
  return new Map(entries)
}

type VersionContent = Omit<InterfaceVersion, 'name' | 'mediaType'>

function checkVersion(
  version: string,
  given: unknown,
  context: VersionContext,
  report: FaultReport,
): VersionContent {
  const declared = new Map([...context.models].filter(([, one]) => one.declared))
  const isDate = ([option]: [string, unknown]) => Object.hasOwn(versionDateTable, option)
  if (!objectOption.accepts(given)) report(`Must be ${objectOption.expected}.`)
  const all = Object.entries(objectOption.accepts(given) ? given : {})
  const dates = checkOptions(Object.fromEntries(all.filter(isDate)), versionDateTable, report)
  const others = all.filter((entry) => !isDate(entry))
  const resources = others.flatMap(([name, options]) => {
    const place = `versions.${version}.${name}`
    const resource = declared.get(name)
    if (!resource) report(`Unknown resource '${name}'.`, didYouMean(name, declared.keys()))
    if (!resource || options === undefined) return []
    const shape = checkResource({ resource, place, ...context }, options, prefixReport(name, report))
    return [[name, shape] as const]
  })
  const [deprecated, sunset] = [parseDate(dates.deprecated), parseDate(dates.sunset)]
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated) {
    report("The date 'sunset' is before 'deprecated'.", 'A version is deprecated before it ends.')
  }
  return { resources: new Map(resources), deprecated, sunset }
}

interface ShapeContext extends VersionContext {
  readonly resource: ResourceModel
  readonly place: string
}

/** The differences of a shape, each valid by itself. */
interface Differences {
  readonly own: ResourceModel
  readonly without: ReadonlySet<string>
  /** The present name of each renamed field, by its old name. */
  readonly renamed: ReadonlyMap<string, string>
}

function checkResource(context: ShapeContext, given: unknown, report: FaultReport): ResourceVersion {
  const { resource, place } = context
  const options = checkOptions(given, resourceVersionTable, report)
  const { fields = {}, without = [], renamed = {}, down, up } = options
  const differences: Differences = {
    own: createOwnMembers(context, fields, prefixReport('fields', report)),
    without: checkWithout(resource, without, report),
    renamed: checkRenamed(resource, renamed, report),
  }
  checkCode(resource, options, report)
  checkClashes(resource, differences, report)
  const oldNames = findOldNames(resource, differences)
  return {
    place,
    oldNames,
    presentNames: new Map([...oldNames].map(([present, old]) => [old, present])),
    own: differences.own,
    conversion: down && up ? { down, up } : undefined,
  }
}

/** The members that take the place of kinds that only stored items have. */
const remedies = {
  file: 'Use json().',
  secret: 'Leave it out: no response shows it.',
  state: "Use choice(['…']).",
}

/** The model of the members that only the version has. */
function createOwnMembers(
  { resource, declarations, models, faults }: ShapeContext,
  given: Options,
  report: FaultReport,
): ResourceModel {
  const collections = [...models.keys()]
  const fields = Object.entries(given).flatMap(([name, field]) => {
    const reportField = prefixReport(name, report)
    checkOldName(name, memberReservation(name), reportField)
    const place = { collections, noun: 'A member of a version', remedies, report: reportField }
    return parseUnstoredField(name, field, place)
  })
  const { name } = resource
  const declaration = { name, builtIn: undefined, options: {}, names: Object.keys(given), fields }
  const own = createResourceModel(declaration, {
    declarations,
    models,
    faults,
    accounts: undefined,
    accountRoles: undefined,
    base: '',
    logic: new Map(),
  })
  for (const field of own.fields) checkDefault(field, own, prefixReport(field.name, report))
  return own
}

/** The valid names in `without`. */
function checkWithout(
  resource: ResourceModel,
  names: readonly string[],
  report: FaultReport,
): ReadonlySet<string> {
  const fields = outputFields(resource).map(({ name }) => name)
  const reportOption = prefixReport('without', report)
  const valid = names.filter((name) => {
    if (fields.includes(name)) return true
    if (systemNames.includes(name)) reportOption(`Every item has '${name}'.`, 'Leave it out.')
    else reportOption(`Unknown field '${name}'.`, didYouMean(name, fields))
    return false
  })
  return new Set(valid)
}

/** The valid entries of `renamed`. */
function checkRenamed(
  resource: ResourceModel,
  names: Options,
  report: FaultReport,
): ReadonlyMap<string, string> {
  const fields = [...outputFields(resource).map(({ name }) => name), ...systemFields.keys()]
  const renamed = new Map<string, string>()
  for (const [old, present] of Object.entries(names)) {
    const reportName = prefixReport(`renamed.${old}`, report)
    checkOldName(old, reservation(old), reportName)
    if (typeof present !== 'string' || !fields.includes(present)) {
      reportName(`Unknown field '${present}'.`, didYouMean(String(present), fields))
    } else if ([...renamed.values()].includes(present)) {
      reportName(`The field '${present}' has two old names.`, 'Leave one of them out.')
    } else renamed.set(old, present)
  }
  return renamed
}

function checkOldName(name: string, reserved: string | undefined, report: FaultReport): void {
  if (reserved !== undefined) report(`The old name is reserved: ${reserved}.`)
  else if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) report('The old name must be letters and digits.')
}

/** Members of the version need code, and so does a field that it lacks and every new item needs. */
function checkCode(
  resource: ResourceModel,
  options: OptionsOf<typeof resourceVersionTable>,
  report: FaultReport,
): void {
  const { fields = {}, without = [], renamed = {}, down, up } = options
  if ((down === undefined) !== (up === undefined)) {
    const [declared, missing] = down === undefined ? ['up', 'down'] : ['down', 'up']
    report(`It has '${declared}' and not '${missing}'.`, 'Declare both, or neither.')
  }
  if (down !== undefined || up !== undefined) return
  const isEmpty = [fields, without, renamed].every((one) => Object.keys(one).length === 0)
  if (isEmpty) {
    report('It declares no difference.', 'Declare renamed, without, or fields; or leave the resource out.')
  } else if (Object.keys(fields).length > 0) {
    report("It has 'fields' and no code that gives their values.", 'Declare down and up.')
  }
  const lacking = resource.fields.filter(({ name }) => without.includes(name))
  const needed = lacking.find(
    (field) =>
      field.required &&
      field.default === undefined &&
      !(field.readOnly || field.fromPrincipal || field.state),
  )
  if (needed && resource.access.create.kind !== 'nobody') {
    prefixReport('without', report)(
      `A new item needs '${needed.name}', and no code gives it.`,
      'Declare down and up, or give the field a default.',
    )
  }
}

/** The old name of each member that has its present value, by present name. */
function findOldNames(
  resource: ResourceModel,
  { own, without, renamed }: Differences,
): ReadonlyMap<string, string> {
  const oldNames = new Map([...renamed].map(([old, present]) => [present, old]))
  const names = ['id', ...systemFields.keys(), ...outputFields(resource).map(({ name }) => name)]
  const kept = names.filter(
    (name) => !without.has(name) && (oldNames.has(name) || !own.fieldByName.has(name)),
  )
  return new Map(kept.map((name) => [name, oldNames.get(name) ?? name]))
}

/** Each name must have one meaning in the version. */
function checkClashes(
  resource: ResourceModel,
  { own, without, renamed }: Differences,
  report: FaultReport,
): void {
  const renamedNow = new Set(renamed.values())
  const isUnchanged = (name: string) => !renamedNow.has(name) && !without.has(name)
  const kept = outputFields(resource).filter(({ name }) => isUnchanged(name))
  for (const name of renamed.keys()) {
    if (!own.fieldByName.has(name) && !kept.some((field) => field.name === name)) continue
    const option = own.fieldByName.has(name)
      ? "'fields' has this name too."
      : `The field '${name}' has this name now.`
    prefixReport(`renamed.${name}`, report)(option, 'A name has one meaning in a version.')
  }
  for (const name of without) {
    if (!renamedNow.has(name) && !own.fieldByName.has(name)) continue
    const option = renamedNow.has(name) ? 'renamed' : 'fields'
    prefixReport('without', report)(`'${option}' has '${name}' too.`, 'Leave one of them out.')
  }
}

/** Milliseconds since 1970; undefined for what is not a date. */
function parseDate(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:T.+(?:Z|[+-]\d{2}:\d{2}))?$/.test(value))
    return undefined
  const milliseconds = Date.parse(value)
  if (Number.isNaN(milliseconds)) return undefined
  // Date.parse accepts 2027-02-30 as a day of March.
  return value.startsWith(new Date(Date.parse(value.slice(0, 10))).toISOString().slice(0, 10))
    ? milliseconds
    : undefined
}

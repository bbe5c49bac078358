/** Checks the options `name` and `versions`, and creates the versions of the interface. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import type { InterfaceVersion, ResourceVersion, VersionConversion } from '../interface-version.ts'
import { outputFields, type ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  type Expectation,
  type Options,
  type OptionTable,
  objectOption,
} from '../option-table.ts'
import { isSegment } from '../paths.ts'
import { systemFields } from '../system-fields.ts'
import type { CheckContext } from './check-context.ts'
import { reservation } from './names.ts'

/** The name of the service, and of a version, in a media type. */
export const mediaTypeName: Expectation = {
  expected: "a name in lower case with hyphens, such as 'tracker'",
  accepts: (value) => typeof value === 'string' && isSegment(value),
}

const functionOption: Expectation = {
  expected: 'a function',
  accepts: (value) => typeof value === 'function',
}

export const resourceVersionTable: OptionTable = {
  renamed: objectOption,
  down: functionOption,
  up: functionOption,
}

const dateOption: Expectation = {
  expected: "a date such as '2027-01-01', or a timestamp",
  accepts: (value) => parseDate(value) !== undefined,
}

export const versionDateTable: OptionTable = { deprecated: dateOption, sunset: dateOption }

/** Returns the versions by name; none where the definition declares none. */
export function checkVersions(
  { name, versions }: Options,
  { models, faults }: Pick<CheckContext, 'models' | 'faults'>,
): ReadonlyMap<string, InterfaceVersion> {
  if (versions === undefined) return new Map()
  const report = faults.at()
  if (name === undefined) {
    report("The option 'versions' needs the option 'name'.", "Add name: 'tracker', for media types.")
  }
  if (!objectOption.accepts(versions)) return new Map()
  const entries = Object.entries(versions as Options).map(([version, given]) => {
    const reportVersion = prefixReport(`versions.${version}`, report)
    if (!isSegment(version)) {
      reportVersion(`The name of a version must be ${mediaTypeName.expected.replace('tracker', 'v1')}.`)
    }
    const mediaType = `application/vnd.${name}.${version}+json`
    return [
      version,
      { name: version, mediaType, ...checkVersion(version, given, models, reportVersion) },
    ] as const
  })
  return new Map(entries)
}

type VersionContent = Omit<InterfaceVersion, 'name' | 'mediaType'>

function checkVersion(
  version: string,
  given: unknown,
  models: ReadonlyMap<string, ResourceModel>,
  report: FaultReport,
): VersionContent {
  const declared = new Map([...models].filter(([, { builtIn }]) => builtIn === undefined))
  const resourceTable = Object.fromEntries([...declared.keys()].map((one) => [one, objectOption]))
  const isDate = ([option]: [string, unknown]) => Object.hasOwn(versionDateTable, option)
  if (!objectOption.accepts(given)) report(`Must be ${objectOption.expected}.`)
  const all = Object.entries(objectOption.accepts(given) ? (given as Options) : {})
  const dates = checkOptions(Object.fromEntries(all.filter(isDate)), versionDateTable, report)
  const others = all.filter((entry) => !isDate(entry))
  for (const [name] of others.filter(([one]) => !declared.has(one))) {
    report(`Unknown resource '${name}'.`, didYouMean(name, declared.keys()))
  }
  const known = Object.fromEntries(others.filter(([one]) => declared.has(one)))
  const resources = Object.entries(checkOptions(known, resourceTable, report)).map(([name, options]) => {
    const place = `versions.${version}.${name}`
    // Only declared resources are left.
    const resource = declared.get(name) as ResourceModel
    return [name, checkResource(resource, place, options, prefixReport(name, report))] as const
  })
  const [deprecated, sunset] = [parseDate(dates.deprecated), parseDate(dates.sunset)]
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated) {
    report("The date 'sunset' is before 'deprecated'.", 'A version is deprecated before it ends.')
  }
  return { resources: new Map(resources), deprecated, sunset }
}

function checkResource(
  resource: ResourceModel,
  place: string,
  given: unknown,
  report: FaultReport,
): ResourceVersion {
  const { renamed: names = {}, down, up } = checkOptions(given, resourceVersionTable, report)
  if ((down === undefined) !== (up === undefined)) {
    const [declared, missing] = down === undefined ? ['up', 'down'] : ['down', 'up']
    report(`It has '${declared}' and not '${missing}'.`, 'Declare both, or only renamed.')
  }
  const renamed = checkRenamed(resource, names as Options, report)
  if (renamed.size === 0 && down === undefined && up === undefined) {
    report('It declares no difference.', 'Declare renamed, or down and up; or leave the resource out.')
  }
  const conversion = down && up ? ({ down, up } as VersionConversion) : undefined
  const oldNames = new Map([...renamed].map(([old, present]) => [present, old]))
  if (!conversion) checkClashes(resource, { renamed, oldNames }, report)
  return { place, renamed, oldNames, conversion }
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
    const reserved = reservation(old)
    if (reserved !== undefined) reportName(`The old name is reserved: ${reserved}.`)
    else if (!/^[A-Za-z][A-Za-z0-9]*$/.test(old)) reportName('The old name must be letters and digits.')
    if (typeof present !== 'string' || !fields.includes(present)) {
      reportName(`Unknown field '${present}'.`, didYouMean(String(present), fields))
    } else if ([...renamed.values()].includes(present)) {
      reportName(`The field '${present}' has two old names.`, 'Leave one of them out.')
    } else renamed.set(old, present)
  }
  return renamed
}

/** Without code an old name must not be the name of another field. */
function checkClashes(
  resource: ResourceModel,
  { renamed, oldNames }: Pick<ResourceVersion, 'renamed' | 'oldNames'>,
  report: FaultReport,
): void {
  for (const { name } of outputFields(resource)) {
    if (!renamed.has(name) || oldNames.has(name)) continue
    prefixReport(`renamed.${name}`, report)(
      `The field '${name}' has this name now.`,
      'Rename that field too, or declare down and up.',
    )
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

/** Creates the model of a resource from its declaration. References are resolved on first use. */

import { formatPath } from '../http/request-target.ts'
import type { ContentFault } from '../refusal.ts'
import { createCacheModel } from './cache-options.ts'
import { checkMethods, collectionMethodsOf, itemMethodsOf } from './checks/methods.ts'
import { createFieldModel, type ValidatedField } from './create-field-model.ts'
import { currentPassword } from './current-password.ts'
import { type FaultList, type FaultReport, prefixReport } from './definition-fault.ts'
import { durationOption, parseDuration } from './duration.ts'
import { createHeaderFields } from './header-fields.ts'
import type { DeclaredAction, DeclaredMembersResult } from './logic/parse-actions.ts'
import type { DeclaredLogic } from './logic/parse-logic.ts'
import { type ActionModel, FIRST_FIELD_INDEX, type ResourceModel } from './model.ts'
import type { AccessModel, HistoryModel, PresentationModel } from './option-models.ts'
import { anyValue, checkOptions, type OptionTable } from './option-table.ts'
import { parseOptionalRule } from './parse-rules.ts'
import { reservedSegment } from './paths.ts'
import type { DeclaredMembers, DeclaredResource, ValidResourceOptions } from './resource-declaration.ts'
import { nobody } from './rule-functions.ts'
import { beginValidation } from './schema-keywords.ts'
import { publicChangeAt, systemFields } from './system-fields.ts'
import { parseTitle } from './title-template.ts'

/** Data that the models of one definition share while they are created. */
export interface ModelContext {
  readonly declarations: ReadonlyMap<string, DeclaredResource>
  /** Filled while the models are created. */
  readonly models: ReadonlyMap<string, ResourceModel>
  readonly faults: FaultList
  /** The name in `accounts.resource`. */
  readonly accounts: string | undefined
  /** The name in `accounts.roles`. */
  readonly accountRoles: string | undefined
  /** The path that all URIs begin with. */
  readonly base: string
  /** The code of the definition, by resource. */
  readonly logic: ReadonlyMap<string, DeclaredLogic>
}

/** Returns the model. Unknown field names in options are left out; the checks report them. */
export function createResourceModel(declaration: DeclaredResource, context: ModelContext): ResourceModel {
  const { name, options, builtIn } = declaration
  const report = context.faults.at(name)
  const modelled = createFieldModels(declaration, context)
  const fields = modelled.map(({ field }) => field)
  const fieldByName = new Map(fields.map((one) => [one.name, one]))
  const find = (names: readonly string[]) => names.flatMap((one) => fieldByName.get(one) ?? [])
  const methods = checkMethods(options, report)
  const { logic, actions = [] } = context.logic.get(name) ?? {}
  return {
    name,
    path: formatPath(context.base, [name]),
    declared: !builtIn,
    traits: builtIn?.table ?? {},
    isDescribed: builtIn?.isDescribed ?? true,
    currentPassword: asksForPassword(declaration, context) ? currentPassword : undefined,
    fields,
    fieldByName,
    roles: name === context.accounts ? fieldByName.get(context.accountRoles ?? '') : undefined,
    publicChange: hasPublicChange(declaration)
      ? publicChangeAt(FIRST_FIELD_INDEX + fields.length)
      : undefined,
    keyField: options.key === undefined ? undefined : fieldByName.get(options.key),
    access: createAccessModel(options.access, context.faults.at(name)),
    listedFor: builtIn?.listedFor,
    collectionMethods: collectionMethodsOf(methods),
    itemMethods: itemMethodsOf(methods),
    put: options.put ?? 'replace',
    conditional: options.conditional ?? 'optional',
    bulk: options.bulk === true,
    nested: [],
    cache: createCacheModel(options.cache, context.faults.at(name)),
    headers: createHeaderFields(options.headers, report),
    search: find(options.search ?? []),
    indexes: (options.index ?? []).map((names) =>
      [names].flat().flatMap((one) => fieldByName.get(one) ?? systemFields.get(one) ?? []),
    ),
    uniqueSets: (options.unique ?? []).map(find),
    formerly: [...(options.formerly ?? [])],
    tombstones: options.tombstones === true,
    history: createHistoryModel(options.history, context.faults.at(name)),
    presentation: createPresentationModel(options),
    referencedBy: [],
    relations: new Map(),
    logic,
    actions: new Map(actions.map((one) => [one.name, createActionModel(one, context)])),
    derived: [],
    ruleTargets: { resources: context.models, accounts: context.accounts },
    validate: withReservedKeys(options.key, actions, (values) => {
      const faults = validateFields(modelled, values)
      return [...faults, ...(builtIn?.findFaults?.(values, faults) ?? [])]
    }),
  }
}

/** Whether changes of the own item need the current password: of the account, and of its credentials. */
function asksForPassword({ name, builtIn }: DeclaredResource, { accounts }: ModelContext): boolean {
  return name === accounts || builtIn?.table.asksForPassword === true
}

function createActionModel({ input, result, ...action }: DeclaredAction, context: ModelContext): ActionModel {
  const { name } = action
  return {
    ...action,
    input: createMembersModel(name, input, context),
    result: result?.kind === 'members' ? withMembers(name, result, context) : result,
  }
}

function withMembers(name: string, { kind, members }: DeclaredMembersResult, context: ModelContext) {
  return { kind, members: createMembersModel(name, members, context) }
}

/** The members of a content as a resource without table and URI. */
function createMembersModel(name: string, members: DeclaredMembers, context: ModelContext): ResourceModel {
  const declaration = { name, builtIn: undefined, options: {}, ...members }
  // The name may be that of a resource.
  return createResourceModel(declaration, { ...context, accounts: undefined, logic: new Map() })
}

/**
 * An item with the name of an action on the collection as its key would have the URI of the action. The segment `-` is
 * above the resources of the service itself.
 */
function withReservedKeys(
  key: unknown,
  actions: readonly DeclaredAction[],
  validate: ResourceModel['validate'],
): ResourceModel['validate'] {
  const reserved = new Set<unknown>(actions.flatMap(({ name, on }) => (on === 'collection' ? [name] : [])))
  if (typeof key !== 'string') return validate
  return (values) => {
    const faults = validate(values)
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (value !== reservedSegment && !reserved.has(value)) return faults
    const what = value === reservedSegment ? 'This key is reserved' : 'This is the name of an action'
    return [...faults, { pointer: `/${key}`, rule: 'reserved', detail: `${what}. Choose another value.` }]
  }
}

function validateFields(
  modelled: readonly ValidatedField[],
  values: Readonly<Record<string, unknown>>,
): readonly ContentFault[] {
  const faults: ContentFault[] = []
  beginValidation()
  for (const { field, validate } of modelled) {
    if (!Object.hasOwn(values, field.name)) continue
    const value = values[field.name]
    if (value === undefined) continue
    for (const fault of validate(value)) faults.push(fault)
  }
  return faults
}

/** Whether some readers do not see all changes. */
function hasPublicChange({ fields }: DeclaredResource): boolean {
  return fields.some(({ declared }) => declared.visibleTo !== undefined)
}

/** Row order: the declared fields, the last public change, then the key of each reference to a resource with a key. */
function createFieldModels(declaration: DeclaredResource, context: ModelContext): readonly ValidatedField[] {
  let keys = FIRST_FIELD_INDEX + declaration.fields.length + (hasPublicChange(declaration) ? 2 : 0)
  return declaration.fields.map((one, index) => {
    const at = FIRST_FIELD_INDEX + index
    const { target = '' } = one
    const keyed = context.declarations.get(target)?.options.key !== undefined
    return createFieldModel(one, {
      index: at,
      outputIndex: keyed ? keys++ : at,
      // Unknown targets are faults, so a finished model has all targets.
      findTarget: () => context.models.get(target)!,
      members: one.members && createMembersModel(one.name, one.members, context),
      report: context.faults.at(declaration.name, one.name),
    })
  })
}

export const accessOptionTable = {
  read: anyValue,
  create: anyValue,
  update: anyValue,
  delete: anyValue,
} satisfies OptionTable

function createAccessModel(given: unknown, report: FaultReport): AccessModel {
  const access = checkOptions(given, accessOptionTable, report)
  const rule = (action: keyof typeof accessOptionTable) =>
    parseOptionalRule(access[action], (reason, suggestion) =>
      report(`Access to ${action}: ${reason}`, suggestion),
    ) ?? nobody
  return {
    read: rule('read'),
    create: rule('create'),
    update: rule('update'),
    delete: rule('delete'),
  }
}

export const historyOptionTable = {
  keep: durationOption('1 hour', '100 years'),
  read: anyValue,
} satisfies OptionTable

function createHistoryModel(given: unknown, report: FaultReport): HistoryModel | undefined {
  if (given === undefined) return undefined
  const prefixed = prefixReport('History', report)
  const { keep, read } = checkOptions(given, historyOptionTable, prefixed)
  return {
    keep: keep === undefined ? undefined : parseDuration(keep),
    read: parseOptionalRule(read, prefixed),
  }
}

function createPresentationModel(options: ValidResourceOptions): PresentationModel {
  const { title, columns, defaultSort, singular, plural } = options
  const terms = defaultSort?.split(',') ?? []
  return {
    title: title === undefined ? undefined : parseTitle(title),
    columns: columns && [...columns],
    defaultSort: terms.map((term) => {
      const descending = term.startsWith('-')
      return { name: descending ? term.slice(1) : term, descending }
    }),
    singular,
    plural,
  }
}

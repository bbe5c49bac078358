/**
 * Checks a definition in three passes: each declaration by itself, the models, how they fit
 * together. The result is a frozen Model, or all faults at once.
 */

import { administratorsOf } from './administrators.ts'
import { splitOwnTables, withBuiltInResources } from './built-in-resources.ts'
import {
  checkAccounts,
  createAccountsModel,
  parseAccountsOptions,
  resolveAccounts,
} from './checks/accounts.ts'
import type { CheckContext } from './checks/check-context.ts'
import { linkDerived } from './checks/derived-fields.ts'
import { checkFields } from './checks/fields.ts'
import { checkInverses } from './checks/inverses.ts'
import { checkIssuers } from './checks/issuers.ts'
import { checkLanguages } from './checks/languages.ts'
import { checkCollectionName, checkFormerName } from './checks/names.ts'
import { linkNested } from './checks/nested-items.ts'
import { checkOrigins } from './checks/origins.ts'
import { checkPresentation } from './checks/presentation.ts'
import { checkReferences } from './checks/references.ts'
import { checkDeclaredRules } from './checks/rule-of-caller.ts'
import { checkRules } from './checks/rules.ts'
import { checkTransitions } from './checks/transitions.ts'
import { checkVersionCode } from './checks/version-code.ts'
import { checkVersions, mediaTypeName } from './checks/versions.ts'
import { deepFreeze } from './deep-freeze.ts'
import { createFaultList, DefinitionFault, type Fault, type FaultList } from './definition-fault.ts'
import type { DeclaredService, DefinitionPart } from './definition-part.ts'
import { withDisabledField } from './disabled-field.ts'
import { durationOption, parseDuration } from './duration.ts'
import { createInformationModel, informationOptionTable } from './information.ts'
import { checkActions, checkServiceActions } from './logic/check-actions.ts'
import { parseLogic, serviceName } from './logic/parse-logic.ts'
import type { Model, ResourceModel } from './model.ts'
import {
  anyValue,
  checkOptions,
  type Expectation,
  isComplete,
  lineOfText,
  type OptionsOf,
  type OptionTable,
  objectOption,
  required,
} from './option-table.ts'
import { type Paths, parsePaths } from './paths.ts'
import { linkReferences } from './relations.ts'
import { requireFeatures } from './required-features.ts'
import { type DeclaredResource, parseResourceDeclaration } from './resource-declaration.ts'
import { createResourceModel, type ModelContext } from './resource-model.ts'
import { withRuleIndexes } from './rule-indexes.ts'
import { definitionBrand, isDefinition, logicBrand } from './service-definition.ts'
import { withTenantIndexes } from './tenant-indexes.ts'

/**
 * Returns the Model of a definition with the parts of features; throws DefinitionFault with all its faults.
 * `mountedAt` overrides the base of the definition.
 */
export function createModel(
  definition: unknown,
  parts: readonly DefinitionPart[],
  mountedAt?: string,
): Model {
  const faults = createFaultList()
  const options = serviceOptions(definition, faults)
  const base = mountedAt ?? options.base ?? ''
  const paths = parsePaths(options.paths, faults.at())
  const accountsOptions = parseAccountsOptions(options.accounts, faults)
  const accountsName = accountsOptions?.resource
  const administrators = administratorsOf(accountsOptions)
  const parsed = parseResourceDeclarations(options, paths, faults)
  const complete = withDisabledField(parsed, accountsName, administrators, faults)
  const declared = withTenantIndexes(withRuleIndexes(complete, faults))
  const code = isDefinition(definition) ? definition[logicBrand] : undefined
  const { logic, routes } = parseLogic(code, declared, faults)
  const declaredService: DeclaredService = {
    options,
    base,
    accounts: accountsName !== undefined && declared.has(accountsName) ? accountsName : undefined,
    accountsOptions,
    administrators,
    declarations: declared,
    logic,
    routes,
    paths,
    faults,
  }
  requireFeatures(parts, declaredService)
  const declaredParts = parts.map((part) => part.declare?.(declaredService) ?? {})
  const builtIn = {
    ...declaredService,
    tables: declaredParts.flatMap(({ tables = [] }) => tables),
    needsSecondFactor: (accountsOptions?.secondFactor ?? []).length > 0,
  }
  const declarations = withBuiltInResources(declared, builtIn, faults)
  const models = createResourceModels({
    declarations,
    accounts: accountsName,
    accountRoles: accountsOptions?.roles,
    faults,
    logic,
    base,
  })
  const ownOperations = createServiceResource({ declarations, models, faults, logic, base })
  const accounts = accountsOptions && resolveAccounts(accountsOptions, { declarations, models, faults })
  const issuers = checkIssuers(options.issuers, accounts !== undefined, faults)
  const resolved = parts.map((part) => part.resolve?.({ ...declaredService, accounts }) ?? {})
  const added = [...declaredParts, ...resolved]
  const information = createInformationModel(options, faults.at())
  const origins = checkOrigins(options.origins, faults)
  const known = { accounts: accounts?.found, issuers: issuers.length > 0 }
  const context: CheckContext = { declarations, models, faults, ...known }
  checkReferences(context)
  for (const resource of models.values()) {
    checkFields(resource, context)
    checkInverses(resource, context)
    linkDerived(resource, context)
    linkNested(resource, context)
    checkPresentation(resource, context)
    if (resource.declared || declarations.get(resource.name)?.builtIn?.checksRules) {
      checkRules(resource, context)
    }
    checkTransitions(resource, context)
    checkActions(resource, context)
    for (const part of parts) part.checkResource?.(resource, context)
  }
  checkServiceActions(ownOperations, context, { paths, routes })
  checkDeclaredRules(added, context)
  if (accounts) checkAccounts(accounts, context)
  const formerNames = collectFormerNames(context, paths)
  const versions = checkVersions(options, context)
  const { resources, ...ownTables } = splitOwnTables(models)
  const languages = checkLanguages(
    options.languages,
    { title: options.title ?? '', resources, service: ownOperations },
    faults,
  )
  // The code can only be tried on a definition without other faults.
  if (faults.list.length === 0) checkVersionCode(versions, context)
  if (faults.list.length > 0 || !isComplete(options, serviceOptionTable)) {
    throw new DefinitionFault(sortFaults(faults.list, options))
  }
  return deepFreeze({
    title: options.title,
    information,
    base,
    paths,
    resources,
    ...ownTables,
    service: ownOperations,
    formerNames,
    versions,
    languages,
    accounts:
      accounts &&
      createAccountsModel(accounts, Object.assign({}, ...added.map(({ accounts: facts }) => facts))),
    tokens: models.get('tokens'),
    issuers,
    parts: new Map(added.flatMap(({ model = [] }) => [...model])),
    variables: new Set(added.flatMap(({ variables = [] }) => variables.map(({ variable }) => variable))),
    origins,
    securityContact: options.securityContact,
    logRetention: parseDuration(options.log ?? defaultLogRetention) as number,
    auditRetention: parseDuration(options.audit ?? defaultAuditRetention) as number,
  })
}

/** How long the change log is kept, unless the definition says otherwise. */
const defaultLogRetention = '30 days'
/** The same of the audit. */
const defaultAuditRetention = '1 year'

/** Faults of the service first, then by resource in declared order. */
function sortFaults(faults: readonly Fault[], { resources = {} }: ValidServiceOptions): readonly Fault[] {
  const names = Object.keys(resources)
  const position = ({ resource }: Fault) => (resource === undefined ? -1 : names.indexOf(resource))
  return faults.toSorted((a, b) => position(a) - position(b))
}

/** A path that all URIs of a service can begin with. */
export const basePath: Expectation<string> = {
  expected: "a path such as '/api', without a slash at its end",
  accepts: (value): value is string =>
    typeof value === 'string' && /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/.test(value),
}

export const serviceOptionTable = {
  title: required(lineOfText(200)),
  ...informationOptionTable,
  name: mediaTypeName,
  accounts: anyValue,
  issuers: anyValue,
  mail: anyValue,
  signIn: anyValue,
  origins: anyValue,
  securityContact: {
    expected: "a URI such as 'mailto:security@example.org' or 'https://example.org/security'",
    accepts: (value): value is string =>
      typeof value === 'string' && /^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/.test(value),
  },
  webhooks: anyValue,
  invitations: anyValue,
  files: anyValue,
  site: anyValue,
  paths: anyValue,
  languages: anyValue,
  base: basePath,
  // At least an hour: a POST with If-Match looks for recent changes in the log.
  log: durationOption('1 hour', '100 years'),
  audit: durationOption('1 day', '100 years'),
  versions: objectOption,
  resources: required(objectOption),
} satisfies OptionTable

type ValidServiceOptions = OptionsOf<typeof serviceOptionTable>

function serviceOptions(definition: unknown, faults: FaultList): ValidServiceOptions {
  const report = faults.at()
  if (!isDefinition(definition)) {
    report('The file does not export a definition.', 'Write: export default service({ … }).')
    throw new DefinitionFault(faults.list)
  }
  const given: unknown = definition[definitionBrand]
  const options = checkOptions(given, serviceOptionTable, report)
  if (objectOption.accepts(given) && Object.hasOwn(given, 'secondFactor')) {
    report('A second factor needs accounts.', "Write: accounts: { …, secondFactor: ['admin'] }.")
  }
  return options
}

function parseResourceDeclarations(
  { resources }: ValidServiceOptions,
  paths: Paths,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const declarations = new Map<string, DeclaredResource>()
  const entries = Object.entries(resources ?? {})
  if (resources !== undefined && entries.length === 0) {
    faults.at()('A service needs at least one resource.')
  }
  for (const [name, value] of entries) {
    const declaration = parseResourceDeclaration(name, value, paths, faults)
    if (declaration !== undefined) declarations.set(name, declaration)
  }
  return declarations
}

/** The operations of the service itself, as those of a resource without table; undefined: it has none. */
function createServiceResource(
  context: Omit<ModelContext, 'accounts' | 'accountRoles'>,
): ResourceModel | undefined {
  if (!context.logic.has(serviceName)) return undefined
  const declaration = { name: serviceName, builtIn: undefined, options: {}, names: [], fields: [] }
  return createResourceModel(declaration, { ...context, accounts: undefined, accountRoles: undefined })
}

function createResourceModels(context: Omit<ModelContext, 'models'>): ReadonlyMap<string, ResourceModel> {
  const models = new Map<string, ResourceModel>()
  for (const declaration of context.declarations.values()) {
    models.set(declaration.name, createResourceModel(declaration, { ...context, models }))
  }
  linkReferences(models)
  return models
}

function collectFormerNames(
  { models, faults }: CheckContext,
  paths: Paths,
): ReadonlyMap<string, ResourceModel> {
  const formerNames = new Map<string, ResourceModel>()
  const taken = new Map<string, string>()
  for (const resource of models.values()) {
    // The former path of a built-in collection that was moved may be that of another collection now.
    if (!resource.declared) continue
    for (const name of resource.formerly) {
      const report = faults.at(resource.name)
      checkCollectionName(name, paths, (reason, suggestion) =>
        report(`The former name '${name}': ${reason}`, suggestion),
      )
      checkFormerName(name, { present: [...models.keys()], taken, owner: resource.name }, report)
      formerNames.set(name, resource)
    }
  }
  return formerNames
}

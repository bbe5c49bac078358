/** The Model: the checked, frozen form of a definition. All other code reads it, never the definition. */

import type { ContentFault } from '../refusal.ts'
import type { BuiltInTable } from './built-in-table.ts'
import type { FieldValues } from './field-kind.ts'
import type { InformationModel } from './information.ts'
import type { IssuerModel } from './issuer-model.ts'
import type { Dictionary } from './languages/message.ts'
import type { LogicModel } from './logic/logic-model.ts'
import type { ModelParts } from './model-part.ts'
import type {
  AccessModel,
  CacheModel,
  FieldPresentation,
  FileModel,
  HistoryModel,
  PresentationModel,
} from './option-models.ts'
import type { Paths } from './paths.ts'
import type { Rule, WhereRule } from './rule.ts'
import type { StateModel } from './state-model.ts'
import type { JsonValue, Stored } from './value-types.ts'

export type { JsonSchema, JsonValue, Stored } from './value-types.ts'

export interface Model {
  readonly title: string
  readonly information: InformationModel
  /** The path that all URIs begin with: empty, or such as `/api`. */
  readonly base: string
  /** The first path segments of built-in collections and documents. */
  readonly paths: Paths
  /** By collection name, which is the path segment and the table's name. */
  readonly resources: ReadonlyMap<string, ResourceModel>
  /** The actions and queries of the service itself, as of a resource without table; undefined: it has none. */
  readonly service: ResourceModel | undefined
  /** The present resource of each former collection name. */
  readonly formerNames: ReadonlyMap<string, ResourceModel>
  readonly accounts: AccountsModel | undefined
  /** The built-in resource of API tokens; undefined for a service without accounts. */
  readonly tokens: ResourceModel | undefined
  /** The tables of the service itself that have no URI; none without accounts. */
  readonly ownTables: ReadonlyMap<string, ResourceModel>
  /** Older versions of the interface, by name. */
  readonly versions: ReadonlyMap<string, InterfaceVersion>
  /** The version that descriptions from this model are about; undefined: the present one. */
  readonly shownVersion?: InterfaceVersion
  /** The parts that features add. */
  readonly parts: ModelParts
  /** The variables of the environment that the definition names. */
  readonly variables: ReadonlySet<string>
  /** Trusted issuers of JWTs. */
  readonly issuers: readonly IssuerModel[]
  /** Origins whose pages may call the service (CORS). */
  readonly origins: readonly string[]
  /** The URI of the contact in `/.well-known/security.txt`; undefined: there is no such document. */
  readonly securityContact: string | undefined
  /** The translations of HTML pages that the definition has, by language. */
  readonly languages: ReadonlyMap<string, Dictionary>
  /** Seconds that entries of the change log and of the audit are kept. */
  readonly logRetention: number
  readonly auditRetention: number
}

export interface AccountsModel {
  readonly resource: ResourceModel
  readonly login: FieldModel
  readonly password: FieldModel
  /** A choice, or a list of choices. */
  readonly roles: FieldModel | undefined
  /** Whether all credentials of the account are refused. */
  readonly disabled: FieldModel
  /** Values of the account that the first start creates, by field name. */
  readonly first: Readonly<Record<string, unknown>>
  /** Whether a caller without a granted role can set the login of an account. */
  readonly selfChosenLogins: boolean
  /** Whether the service sends mail to accounts, so that a link sets a new password or confirms a new login. */
  readonly receivesMail: boolean
  /** Whether people can sign in by a link in a mail. */
  readonly signsInByLink: boolean
  /** The names of the providers that people sign in with. */
  readonly providers: readonly string[]
  /** Whether an account comes into being with the link in a mail, unless an administrator creates it. */
  readonly signsUpByMail: boolean
  /** The role of the first account, which the operator documents require. */
  readonly adminRole: string
  /** The roles whose accounts must have a second factor. */
  readonly secondFactor: ReadonlySet<string>
}

/** Those that features add. */
export type AddedAccountFacts = Pick<AccountsModel, 'receivesMail' | 'signsInByLink' | 'providers'>

export interface ResourceModel {
  readonly name: string
  /** The path of its collection, with the base of the service. */
  readonly path: string
  /** Whether the definition declares it: the service declares others itself. */
  readonly declared: boolean
  /** The built-in table that it is; empty for those of the definition. */
  readonly traits: Partial<BuiltInTable>
  /** Whether OpenAPI documents have it. */
  readonly isDescribed: boolean
  /** In declared order, which is the order of members in every representation. */
  readonly fields: readonly FieldModel[]
  readonly fieldByName: ReadonlyMap<string, FieldModel>
  /** Set on accounts and their credentials: the member that a change of the own password, login or credentials requires. */
  readonly currentPassword: FieldModel | undefined
  /** Set on accounts with roles: their field. */
  readonly roles: FieldModel | undefined
  /** The place of the last change that every reader sees; undefined where no field has `visibleTo`. */
  readonly publicChange: ChangePlace | undefined
  /** The field whose value is the last path segment; undefined: the identity is. */
  readonly keyField: FieldModel | undefined
  readonly access: AccessModel
  /** Whose lists show an item, among those who may read it; undefined: those of all of them. */
  readonly listedFor: Rule | undefined
  /** The methods of the collection and of an item, including HEAD and OPTIONS. */
  readonly collectionMethods: ReadonlySet<string>
  readonly itemMethods: ReadonlySet<string>
  /** `create`: PUT creates an item that does not exist. */
  readonly put: 'replace' | 'create'
  /** `required`: a write without a precondition is 428. */
  readonly conditional: 'optional' | 'required'
  readonly bulk: boolean
  /** Whose items the content of a POST may contain. */
  readonly nested: readonly NestedRelation[]
  readonly cache: CacheModel | undefined
  /** The header fields of all its responses that the service does not set itself. */
  readonly headers: Readonly<Record<string, string>>
  readonly search: readonly FieldModel[]
  readonly indexes: readonly (readonly FieldModel[])[]
  /** No two items have the same values in all fields of a set. */
  readonly uniqueSets: readonly (readonly FieldModel[])[]
  readonly formerly: readonly string[]
  /** Whether the URI of a deleted item responds with 410. */
  readonly tombstones: boolean
  /** Undefined: its items have no history. */
  readonly history: HistoryModel | undefined
  readonly presentation: PresentationModel
  /** The references of other resources to this one. */
  readonly referencedBy: readonly { readonly resource: ResourceModel; readonly field: FieldModel }[]
  /** Its relations to other resources, by the name that paths and URIs use. */
  readonly relations: ReadonlyMap<string, RelationModel>
  /** The code that runs when its items are written; undefined: none. */
  readonly logic: LogicModel | undefined
  /** Its actions by name, which is the last segment of their URI. */
  readonly actions: ReadonlyMap<string, ActionModel>
  /** Values that are computed when they are shown, in declared order. */
  readonly derived: readonly DerivedModel[]
  /** Where its rules can look. */
  readonly ruleTargets: RuleTargets
  /**
   * Validates the given values against the schemas of their fields and returns all faults in field
   * order. It does not check whether fields are known, required or writable.
   */
  validate(values: Readonly<Record<string, unknown>>): readonly ContentFault[]
}

/** An older version of the interface. */
export interface InterfaceVersion {
  readonly name: string
  /** In the tree of unregistered types (RFC 6838 §3.4), such as `application/x.tracker.v1+json`. See decision 0113. */
  readonly mediaType: string
  /** By collection. Other resources have their present shape. */
  readonly resources: ReadonlyMap<string, ResourceVersion>
  /** Milliseconds since 1970. */
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
}

/** The older shape of the items of a resource: members that are as now, perhaps with other names, and its own. */
export interface ResourceVersion {
  /** Its place in the definition, such as `versions.v1.tasks`. */
  readonly place: string
  /** The old name of each member that has its present value, by present name. */
  readonly oldNames: ReadonlyMap<string, string>
  /** The reverse: the present name, by the old name. */
  readonly presentNames: ReadonlyMap<string, string>
  /** The members that only the version has, as an item of a resource without table and URI. */
  readonly own: ResourceModel
  /** Undefined: the version has no members of its own. */
  readonly conversion: VersionConversion | undefined
}

/** The code of the definition. */
export interface VersionConversion {
  readonly down: (item: object) => unknown
  readonly up: (item: object) => unknown
}

/** Where a Row has the version and the time of a change. */
export interface ChangePlace {
  /** The index of the version. */
  readonly version: number
  /** The field `updatedAt` that shows the time. */
  readonly updatedAt: FieldModel
  /** The column of the time. */
  readonly timeColumn: string
}

/** An operation on an item or a collection that code of the definition performs: an action, or a query. */
export interface ActionModel {
  readonly name: string
  /** Whether it is a query, whose code only reads. */
  readonly isSafe: boolean
  /** `service`: it is below the base, and on no collection. */
  readonly on: 'item' | 'collection' | 'service'
  /** Who may use it, among the callers who may read the item. */
  readonly by: Rule
  /** The content, as an item of a resource without table and URI. Its name is that of the action. */
  readonly input: ResourceModel
  /** The declared value of its code; undefined: the response shows an item. */
  readonly result: ResultModel | undefined
  /** Whether its code runs after the response, as a job. */
  readonly background: boolean
  /** How long caches may use the response of a query; undefined: they ask each time. */
  readonly cache: CacheModel | undefined
  /** Gets the item (unless it is on a collection), the input and the tools. */
  readonly run: (...given: readonly unknown[]) => unknown
}

/** The form of the value that the code of an action or a query returns. */
export type ResultModel = MembersResult | FileResult | ItemsResult

/** An object. */
export interface MembersResult {
  readonly kind: 'members'
  /** As an item of a resource without table and URI. */
  readonly members: ResourceModel
}

/** Items of a collection, as the caller may see them. Only queries have them. */
export interface ItemsResult {
  readonly kind: 'items'
  readonly collection: string
}

/** Octets with a media type. */
export interface FileResult extends FileModel {
  readonly kind: 'file'
}

/** A derived field. It is never stored: its value follows the stored values of a Row. */
export type DerivedModel = AggregateDerivedModel | ComputedModel

interface DerivedBase {
  /** Describes the name, kind and schema of the value, and its place in a Row. */
  readonly field: FieldModel
  /** Whether lists show it without `fields` naming it. */
  readonly isAlwaysShown: boolean
}

/** Computed by the database over the items of an inverse that the caller may read. */
export interface AggregateDerivedModel extends DerivedBase {
  readonly kind: 'aggregate'
  readonly operation: 'count' | 'sum' | 'avg' | 'min' | 'max'
  readonly inverse: InverseRelation
  /** The field of the other items; undefined for `count`. */
  readonly source: FieldModel | undefined
  /** The items that count; undefined: all. */
  readonly rule: WhereRule | undefined
}

/** Computed by a pure function from other fields of the item. */
export interface ComputedModel extends DerivedBase {
  readonly kind: 'computed'
  readonly dependencies: readonly FieldModel[]
  /** The stored value for the values of the dependencies. Throws where the function fails or its value is invalid. */
  compute(values: Readonly<Record<string, JsonValue>>, now: Date): Stored
}

/** The collections that `exists` can name and the accounts that `callerField` reads. */
export interface RuleTargets {
  readonly resources: ReadonlyMap<string, ResourceModel>
  /** The collection of the accounts; undefined for a service without accounts. */
  readonly accounts: string | undefined
}

export interface FieldModel extends FieldPresentation, FieldValues {
  readonly name: string
  /** False for optional fields, whose absence is a stored null. */
  readonly required: boolean
  readonly unique: boolean
  readonly default: JsonValue | undefined
  readonly readOnly: boolean
  /** Requests set it when the item is created, and cannot change it afterwards. */
  readonly immutable: boolean
  readonly writeOnly: boolean
  /** Undefined: visible to every caller who may read the row. */
  readonly visibleTo: Rule | undefined
  /** Undefined: writable by every caller who may write the row. */
  readonly writableBy: Rule | undefined
  /** The reference is set to the caller when the item is created, never by a request. */
  readonly fromPrincipal: boolean
  readonly filterable: boolean
  readonly formerly: readonly string[]
  /** Index of the stored value in a Row. */
  readonly index: number
  /** Index of the value to show in a Row: differs from `index` only for references to a resource with a key. */
  readonly outputIndex: number
  readonly ref: RefModel | undefined
  readonly refs: RefsModel | undefined
  readonly state: StateModel | undefined
  readonly file: FileModel | undefined
  /** The members of the objects of a list, as a resource without table and URI; undefined for other fields. */
  readonly members?: ResourceModel | undefined
  /** The items of a list or of a set of references (kind, scale and schema), or undefined. */
  readonly item: FieldModel | undefined
}

export interface RefModel {
  /** The target; a getter, so that references may form cycles. */
  readonly resource: ResourceModel
  readonly onDelete: 'restrict' | 'cascade' | 'clear'
  /** The name of the relation from the target back to the referring items; undefined: it has none. */
  readonly inverse: string | undefined
}

/** A way from an item to items of the resource `target`. */
export type RelationModel = ReferenceRelation | InverseRelation

/** To the item that a reference of this resource names, or the items of a set of `references`. */
export interface ReferenceRelation {
  readonly kind: 'reference' | 'references'
  readonly name: string
  readonly target: ResourceModel
  /** The reference or the set of references, a field of this resource. */
  readonly field: FieldModel
}

/** To all items of `target` whose reference names the item: the opposite direction of that reference. */
export interface InverseRelation {
  readonly kind: 'inverse'
  readonly name: string
  readonly target: ResourceModel
  /** The reference, a field of `target`. */
  readonly field: FieldModel
}

/** An inverse whose items the content of a POST may contain. */
export interface NestedRelation extends InverseRelation {
  /** The member is one item, which is created later, with the item that it refers to. Else it is an array. */
  readonly isOne?: true
}

export interface RefsModel {
  /** The target; a getter, so that references may form cycles. */
  readonly resource: ResourceModel
  readonly onDelete: 'restrict' | 'clear'
  /** The most references in a set. */
  readonly max: number
}

/**
 * Indexes in every Row; the fields follow in declared order, then the last public change where some
 * readers do not see all fields, then the keys of references.
 */
export const IDENTITY = 0
export const VERSION = 1
export const CREATED_AT = 2
export const UPDATED_AT = 3
export const FIRST_FIELD_INDEX = 4

/** The columns of the version and of the time of the last change that every reader sees. */
export const PUBLIC_VERSION = '_publicVersion'
export const PUBLIC_UPDATED_AT = '_publicUpdatedAt'

/** Whether some readers do not see the field, so that its changes must not show to them. */
export function isRestricted({ visibleTo, writeOnly }: Pick<FieldModel, 'visibleTo' | 'writeOnly'>): boolean {
  return visibleTo !== undefined || writeOnly
}

/** Whether its values are e-mail addresses. */
export function holdsMailAddress({ kind }: FieldModel): boolean {
  return kind.input.type === 'email'
}

/**
 * Whether lists can be ordered by the values that the field shows: a reference to a resource with a key stores another
 * value than it shows, so it would seem unsorted.
 */
export function hasOrder({ kind, index, outputIndex }: FieldModel): boolean {
  return kind.order !== 'none' && outputIndex === index
}

/** Returns the fields that items may show: the stored ones, then the derived ones. */
export function outputFields({ fields, derived }: ResourceModel): readonly FieldModel[] {
  return derived.length === 0 ? fields : [...fields, ...derived.map(({ field }) => field)]
}

/** Returns the number of columns of the resource, with which a Row begins. */
export function columnCount({
  fields,
  publicChange,
}: Pick<ResourceModel, 'fields' | 'publicChange'>): number {
  return FIRST_FIELD_INDEX + fields.length + (publicChange ? 2 : 0)
}

/** Returns the number of values in a Row; the results of evaluated conditions follow them. */
export function rowWidth(resource: ResourceModel): number {
  const keyed = resource.fields.filter((one) => one.outputIndex !== one.index)
  return columnCount(resource) + keyed.length
}

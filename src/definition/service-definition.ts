/** The definition as users write and export it: a title, the resources, who the accounts are. */

import type { InformationOptions } from './information.ts'
import type { VersionOptions } from './interface-version.ts'
import type { Dictionary } from './languages/message.ts'
import type { ActionsIn, SystemCollections } from './logic/action.ts'
import type { KnownLogic, Logic } from './logic/logic.ts'
import type { Tools } from './logic/logic-tools.ts'
import type { AnyMailTemplate } from './mail-template.ts'
import type { MailKind, MailText } from './mail-texts.ts'
import type { Paths } from './paths.ts'
import type { Provider } from './provider.ts'
import type { ReferenceNamesOf, Resource } from './resource.ts'
import type { Rules } from './rule-functions.ts'

export interface ServiceOptions<R extends Resources = Resources> extends InformationOptions {
  readonly title: string
  /** The name of the service in the media types of older versions, such as `tracker`. */
  readonly name?: string
  readonly accounts?: AccountsOptions<keyof R & string>
  /** Those whose JSON Web Tokens are believed. */
  readonly issuers?: readonly IssuerOptions[]
  /** The mails to the owners of accounts: links to set a new password, and notices. Needs a login that is an `email()`. */
  readonly mail?: MailOptions
  /** Providers that people can sign in with, besides login and password. */
  readonly signIn?: SignInOptions
  /** The origins whose pages may call from a browser: exactly these, such as `https://app.example`. */
  readonly origins?: readonly string[]
  /** Where to report a vulnerability: a URI for `/.well-known/security.txt`, such as `mailto:security@example.org`. */
  readonly securityContact?: string
  /** The path all URIs begin with, such as `/api`. */
  readonly base?: string
  /**
   * Other first path segments for built-in collections and documents, such as `{ jobs: 'runs' }`, so that a
   * collection can have their name.
   */
  readonly paths?: Partial<Paths>
  /** How long changes are kept in the change log, such as `'90 days'`; `'30 days'` by default. */
  readonly log?: string
  /** How long the audit is kept, such as `'5 years'`; `'1 year'` by default. */
  readonly audit?: string
  /** Who may have webhooks, and where they may be sent. */
  readonly webhooks?: WebhooksOptions
  /** The limit of all files together. */
  readonly files?: FilesOptions
  /** The files of a front end, at the paths outside of `base`, which it needs. */
  readonly site?: SiteOptions
  /** Older versions of the interface by name, such as `v1`. They need `name`. */
  readonly versions?: Readonly<Record<string, VersionOptions<NoInfer<R>>>>
  /** Who may invite people by mail: administrators by default. Needs `mail`. */
  readonly invitations?: InvitationsOptions<NoInfer<R>>
  /**
   * Translations of the texts and labels of HTML pages, by language tag and English text, such as
   * `{ fr: { Edit: 'Modifier', articles: 'articles' } }`. English and German are built in.
   */
  readonly languages?: Readonly<Record<string, Dictionary>>
  /** By collection name: plural nouns in lower case, with hyphens. */
  readonly resources: R
}

export interface SignInOptions {
  /** Whether people can sign in by a link in a mail. Needs `mail`. */
  readonly links?: boolean
  readonly providers?: readonly Provider[]
}

export interface MailOptions {
  /** The address of the sender, such as `service@example.org`. */
  readonly from: string
  /** Other words for mails: `{title}`, `{login}` and `{link}` are replaced. */
  readonly texts?: { readonly [K in MailKind]?: Partial<MailText> }
  /** The mails that code sends with the tool `mail`, by name, such as `{ answered: mailTemplate({ … }) }`. */
  readonly templates?: { readonly [name: string]: AnyMailTemplate }
}

export interface FilesOptions {
  /** The size of all files of an account together, such as `'500 MB'`; unlimited by default. */
  readonly quota?: string
}

export interface WebhooksOptions {
  /** Who may have webhooks: accounts with the role of administrators by default. */
  readonly by?: Rules
  /**
   * Networks that webhooks may reach although they are not public, such as `10.0.0.0/8`. With
   * `127.0.0.1` they may be sent to http://localhost.
   */
  readonly networks?: readonly string[]
}

export interface InvitationsOptions<R extends Resources = Resources> {
  /** Who may invite: accounts with the role of administrators by default. Only they can give that role. */
  readonly by?: Rules
  /**
   * The reference to the account in a record that an invitation may carry, such as `memberships.user`: accepting the
   * invitation creates both.
   */
  readonly record?: ReferenceIn<R>
}

/** The references of all resources, such as `memberships.user`. */
type ReferenceIn<R extends Resources> = {
  [N in keyof R & string]: `${N}.${ReferenceNamesOf<R[N]>}`
}[keyof R & string]

export type Resources = Readonly<Record<string, Resource>>

export interface AccountsOptions<Name extends string = string> {
  /** The resource whose items are the accounts. */
  readonly resource: Name
  /** Its unique field that callers name themselves by. */
  readonly login: string
  /** Its password field. */
  readonly password: string
  /** Its field of roles: a choice, or a list of choices. */
  readonly roles?: string
  /** The role that the first account gets and operators' pages ask for; `admin` by default. */
  readonly admin?: string
  /**
   * `by-mail`: a sign-up gets 202, and the account comes into being with the link in a mail, so that the response does
   * not tell whether an address is taken. Needs `mail`.
   */
  readonly signUp?: 'by-mail'
  /** Values for the required fields of the first account. */
  readonly first?: Readonly<Record<string, unknown>>
  /** The roles whose accounts must have a second factor, such as `['admin']`. */
  readonly secondFactor?: readonly string[]
}

export interface IssuerOptions {
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string
  /** The `aud` its tokens must have: one, or any of several. */
  readonly audience: string | readonly string[]
  /** The URI of its JSON Web Key Set: https, or http on this very machine. */
  readonly jwks: string
  /** The algorithms its tokens may be signed with, such as `['RS256']`. */
  readonly algorithms: readonly string[]
  /** The claim that holds the login of an account here. Without it callers have no account. */
  readonly login?: string
  /** The claim that holds the caller's roles. Without it those of the account count. */
  readonly roles?: string
}

/** By `Symbol.for`, so that the command can tell a definition from anything else a file exports. */
export const definitionBrand: unique symbol = Symbol.for('restwell.definition')

/** By `Symbol.for`, for the same reason. */
export const logicBrand: unique symbol = Symbol.for('restwell.logic')

/**
 * A declared service, as `service` returns it. Its type holds the types of the resources.
 * @example
 * const notes = resource({ title: text() })
 * const definition: Definition<{ notes: typeof notes }> = service({ title: 'Notes', resources: { notes } })
 */
export interface Definition<R extends Resources = Resources, A = object, I extends string = never> {
  readonly [definitionBrand]: ServiceOptions<R>
  /** The second argument of `service`, as it was given. */
  readonly [logicBrand]?: unknown
  /** Only in the type: the actions by collection and name. */
  readonly [declaredActions]?: A
  /** Only in the type: the tools of programs. */
  readonly [programTools]?: ProgramTools<R, A>
  /** Only in the type: the reference of the record that invitations may carry. */
  readonly [invitedReference]?: I
}

declare const invitedReference: unique symbol
declare const declaredActions: unique symbol
declare const programTools: unique symbol

/** A definition of whatever resources: those of a certain one are in its type. */
export interface AnyDefinition {
  readonly [definitionBrand]: { readonly title: string; readonly resources: Resources }
  readonly [declaredActions]?: object
  readonly [programTools]?: object
  readonly [invitedReference]?: string
}

/**
 * The tools of programs outside of the definition: those that its code has, and a method for each action. `now` is the time
 * when it is read.
 */
type ProgramTools<R extends Resources, A> = Tools<R> & SystemCollections<R, A>

/** The tools of programs; of a definition whose type is not known, any object. */
export type ProgramToolsOf<D extends AnyDefinition> = NonNullable<D[typeof programTools]>

/** The reference of the record that invitations may carry, such as `memberships.user`; never where there is none. */
export type InvitedReferenceOf<D extends AnyDefinition> = NonNullable<D[typeof invitedReference]>

/** The actions of a definition, by collection and name. */
export type DeclaredActionsOf<D extends AnyDefinition> = NonNullable<D[typeof declaredActions]>

/**
 * Declares a service: its title, its resources and its accounts, and as a second argument code that
 * runs when items are written, by resource. The definition is checked when the service starts, or by
 * `restwell check`.
 * @example
 * const users = resource(
 *   { email: email().unique(), password: password() },
 *   { access: { read: signedIn, create: anyone, update: self } },
 * )
 * export default service({
 *   title: 'Notes',
 *   accounts: { resource: 'users', login: 'email', password: 'password' },
 *   resources: { users },
 * })
 */
export function service<
  R extends Resources,
  const L extends Logic<NoInfer<R>> = Logic<NoInfer<R>>,
  const I extends string = never,
>(
  options: ServiceOptions<R> & { readonly invitations?: { readonly record?: I } },
  logic?: L & KnownLogic<R, L>,
): Definition<R, ActionsIn<L>, I> {
  return Object.freeze({ [definitionBrand]: options, ...(logic !== undefined && { [logicBrand]: logic }) })
}

export function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && definitionBrand in value
}

/** The site beside the service, as the definition declares it. */
interface SiteOptions {
  /** The folder with the files: a path from the working directory such as `web`, or a `file:` URL. */
  readonly folder: string | URL
  /** The file for the paths of pages that no file has, such as `index.html`. */
  readonly fallback?: string
  /** The folder in it whose files never change, because their names contain a digest, such as `assets/`. */
  readonly immutable?: string
  /** The Content-Security-Policy of its pages. By default they load only what is of their own origin. */
  readonly policy?: string
}

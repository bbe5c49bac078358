/**
 * The blind client knows HTTP, HAL-FORMS, relation names and the entry point of a service, and
 * nothing else. It follows every link and submits every form.
 */

import { basic, type Reply, type SendRequest } from '../service.ts'
import { fill, type Property } from './filling.ts'

const mediaType = 'application/prs.hal-forms+json'

export interface Template {
  readonly title: string
  readonly method: string
  readonly target: string
  readonly contentType?: string
  readonly properties: readonly Property[]
}

interface HalLink {
  readonly href: string
  readonly templated?: boolean
  readonly type?: string
}

interface HalDocument {
  readonly _links: Readonly<Record<string, HalLink | readonly HalLink[]>>
  readonly _templates?: Readonly<Record<string, Template>>
  readonly _embedded?: { readonly item: readonly Partial<HalDocument>[] }
}

/** A request that a representation offers. */
export interface Offer {
  /** Where it was offered. */
  readonly at: string
  readonly name: string
  readonly template: Template
  /** Of the representation it was found in. */
  readonly tag: string | undefined
}

export interface Territory {
  /** Every URI it could reach, with the document it got there. */
  readonly pages: ReadonlyMap<string, HalDocument>
  readonly offers: readonly Offer[]
  /** Links that it was given and that led nowhere. */
  readonly broken: readonly string[]
}

export interface Credentials {
  readonly login: string
  readonly password: string
}

export class BlindClient {
  readonly #request: SendRequest
  readonly #fields: Readonly<Record<string, string>>
  readonly #random: () => number
  /** Pages that say the same every time: looked at once. */
  readonly #read = new Set<string>()

  constructor(request: SendRequest, random: () => number, credentials?: Credentials) {
    this.#request = request
    this.#random = random
    const authorization = credentials ? basic(credentials.login, credentials.password) : {}
    this.#fields = { accept: mediaType, ...authorization }
  }

  /** Everything that can be reached from the entry point by following links. */
  async explore(): Promise<Territory> {
    const pages = new Map<string, HalDocument>()
    const offers: Offer[] = []
    const broken: string[] = []
    const waiting = ['/']
    for (const uri of waiting) {
      const reply = await this.#request(`GET ${uri}`, this.#fields)
      if (reply.status !== 200) {
        broken.push(`${uri}: ${reply.status}`)
        continue
      }
      const document = reply.json as HalDocument
      pages.set(uri, document)
      for (const [name, template] of Object.entries(document._templates ?? {})) {
        offers.push({ at: uri, name, template, tag: reply.fields.etag })
      }
      for (const next of linksIn(document)) {
        if (waiting.includes(next) || this.#read.has(next) || isFeedPage(next)) continue
        if (isForReading(document)) this.#read.add(next)
        waiting.push(next)
      }
    }
    return { pages, offers, broken }
  }

  /** Fills in the form and sends it; undefined where some required choice has nothing to choose. */
  async take(offer: Offer, wish: Wish = {}): Promise<Taken | undefined> {
    const { method, target, contentType, properties } = offer.template
    const random = this.#random
    const choose = async (href: string) => {
      const reply = await this.#request(`GET ${href}`, { ...this.#fields, accept: 'application/json' })
      return reply.json as Record<string, unknown>[]
    }
    const values = await fill(properties, { random, choose, keep: method === 'PUT' })
    if (!values) return undefined
    const sent = { ...values, ...wish }
    const conditional = offer.tag !== undefined && method !== 'POST' ? { 'if-match': offer.tag } : {}
    const content = contentType === undefined ? {} : { 'content-type': contentType }
    const body = contentType === undefined ? undefined : JSON.stringify(sent)
    const fields = { ...this.#fields, ...conditional, ...content }
    return { sent, reply: await this.#request(`${method} ${target}`, fields, body) }
  }

  /** Follows `next` from a page on. */
  async *pagesFrom(uri: string): AsyncGenerator<HalDocument> {
    for (let next: string | undefined = uri; next !== undefined; ) {
      const reply: Reply = await this.#request(`GET ${next}`, this.#fields)
      const document = reply.json as HalDocument
      yield document
      next = hrefsOf(document, 'next')[0]
    }
  }
}

/** Whether it is a further page of the changes: there is always one more. */
function isFeedPage(uri: string): boolean {
  return uri.includes('last-event-id=')
}

/** Values that this client has a reason to choose. */
export type Wish = Readonly<Record<string, unknown>>

export interface Taken {
  readonly sent: Readonly<Record<string, unknown>>
  readonly reply: Reply
}

export function hrefsOf(document: Partial<HalDocument>, relation: string): readonly string[] {
  const links = document._links?.[relation] ?? []
  return [links].flat().map((link) => (link as HalLink).href)
}

/** What has neither items nor forms, such as the list of problem types, leads to nothing to do. */
function isForReading(document: Partial<HalDocument>): boolean {
  return document._links?.collection === undefined && hrefsOf(document, 'item').length > 0
}

function linksIn(document: Partial<HalDocument>): readonly string[] {
  const own = Object.values(document._links ?? {}).flat() as HalLink[]
  const inside = (document._embedded?.item ?? []).flatMap(linksIn)
  // A link that says it leads to another media type leads to what this client cannot read.
  const readable = own.filter(({ templated, type }) => !templated && (type ?? mediaType) === mediaType)
  return [...readable.map(({ href }) => href), ...inside]
}

/** RFC 6570, form-style query expansion: `{?a,b}`. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\?([^}]*)\}/, (_, names: string) => {
    const given = names.split(',').filter((name) => values[name] !== undefined)
    const pairs = given.map((name) => `${name}=${encodeURIComponent(values[name] as string)}`)
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  })
}

/** What it chose as login and password when it signed up. */
export function credentialsOf({ template }: Offer, sent: Wish): Credentials {
  const of = (type: string) => template.properties.find((property) => property.type === type)?.name
  return {
    login: String(sent[of('email') ?? '']),
    password: String(sent[of('password') ?? '']),
  }
}

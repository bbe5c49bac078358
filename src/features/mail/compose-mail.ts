/** The subject, the text and the HTML of mails, from the words of the definition. */

import type { MailKind } from '../../definition/mail-texts.ts'
import type { Model } from '../../definition/model.ts'
import { escapeText, html, type Markup, trustedMarkup } from '../../html/markup/markup.ts'
import { negotiateLanguage } from '../../http/accept-language.ts'
import { type MailTemplateModel, mailModel, type TemplateText, unsubscribeName } from './mail-model.ts'

export interface ComposedContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface ComposedMail extends ComposedContent {
  /** The URI to unsubscribe; undefined for mails that are no notifications. */
  readonly unsubscribe?: string
  readonly from: string
  readonly to: string
}

export interface MailValues {
  readonly recipient: string
  /** The absolute URI of the page that the mail leads to. */
  readonly link: string
}

/** A mail of the service itself. */
export function composeMail(model: Model, kind: MailKind, { recipient, link }: MailValues): ComposedMail {
  const mail = mailModel.of(model)
  if (!mail) throw new Error('The definition declares no mail')
  const data = { title: model.title, login: recipient, link }
  return { from: mail.from, to: recipient, ...composeWords({ tag: 'en', ...mail.texts[kind] }, data) }
}

/** The values of placeholders. */
export type MailData = Readonly<Record<string, string | number>>

interface TemplateValues {
  readonly data: MailData
  readonly language: string | undefined
  /** The text that the link to unsubscribe replaces later. */
  readonly link: string
}

/** A mail of code: the words of the template in the language, else those of the template itself. */
export function composeTemplate(
  { texts }: MailTemplateModel,
  { data, language, link }: TemplateValues,
): ComposedContent {
  return composeWords(chooseText(texts, language), { ...data, [unsubscribeName]: link })
}

function chooseText(texts: readonly TemplateText[], language: string | undefined): TemplateText {
  const [own, ...others] = texts
  if (!own) throw new Error('A template has words')
  const tag = negotiateLanguage(language ?? '', ['', ...others.map((one) => one.tag ?? '')])
  return others.find((one) => one.tag === tag) ?? own
}

const placeholder = /\{(\w+)\}/g

/** Other braces stay. Values are escaped in the HTML. */
function composeWords({ tag, subject, text, html: markup }: TemplateText, data: MailData): ComposedContent {
  const valueFor = (name: string) => (Object.hasOwn(data, name) ? String(data[name]) : `{${name}}`)
  const fill = (words: string, encode = (value: string) => value) =>
    words.replace(placeholder, (_, name: string) => encode(valueFor(name)))
  // A line break in a value would begin another header field.
  const subjectLine = fill(subject)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  // In a quoted attribute an escaped value cannot end it.
  const content =
    markup === undefined ? paragraphsOf(text, valueFor) : trustedMarkup(fill(markup, escapeText))
  const language = tag !== undefined && html` lang="${tag}"`
  const document = html`<!doctype html><html${language}><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${subjectLine}</title></head><body>${content}</body></html>`
  return { subject: subjectLine, text: fill(text), html: String(document) }
}

/** Each part between empty lines is a paragraph. Values that are URIs, and the one to unsubscribe, become links. */
function paragraphsOf(text: string, valueFor: (name: string) => string): Markup {
  const linked = (words: string) =>
    words.split(placeholder).map((part, index) => {
      if (index % 2 === 0) return part
      const value = valueFor(part)
      const isLink = part === unsubscribeName || /^https?:\/\/[^\s<>"]+$/i.test(value)
      return isLink ? html`<a href="${value}">${value}</a>` : value
    })
  return html`${text.split(/\n{2,}/).map((words) => html`<p>${linked(words)}</p>`)}`
}

/** The text and the HTML of a mail, from the words of the definition. */

import type { MailKind } from '../../definition/mail-texts.ts'
import type { Model } from '../../definition/model.ts'
import { html, type Markup } from '../../html/markup/markup.ts'
import { mailModel } from './mail-model.ts'

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

export function composeMail(model: Model, kind: MailKind, { recipient, link }: MailValues): ComposedMail {
  const { title } = model
  const mail = mailModel.of(model)
  if (!mail) throw new Error('The definition declares no mail')
  const values: Readonly<Record<string, string>> = { title, login: recipient, link }
  const fill = (words: string) =>
    words.replace(/\{(title|login|link)\}/g, (_, name: string) => values[name] ?? '')
  const { subject, text } = mail.texts[kind]
  const content = paragraphsOf(text, (words) => {
    const [before = '', ...after] = words.split('{link}')
    const linked = after.map((rest) => html`<a href="${link}">${link}</a>${fill(rest)}`)
    return html`${fill(before)}${linked}`
  })
  return {
    from: mail.from,
    to: recipient,
    subject: subjectLine(fill(subject)),
    text: fill(text),
    html: htmlDocument({ tag: 'en', title: fill(subject), content }),
  }
}

/** The text in one line: a line break in a value would begin another header field. */
export function subjectLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Each part between empty lines is a paragraph. */
export function paragraphsOf(text: string, format: (words: string) => Markup): Markup {
  return html`${text.split(/\n{2,}/).map((words) => html`<p>${format(words)}</p>`)}`
}

interface DocumentParts {
  /** The tag of its language; undefined: it is not known. */
  readonly tag: string | undefined
  readonly title: string
  readonly content: Markup
}

export function htmlDocument({ tag, title, content }: DocumentParts): string {
  const language = tag !== undefined && html` lang="${tag}"`
  return String(
    html`<!doctype html><html${language}><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${title}</title></head><body>${content}</body></html>`,
  )
}

/** The text and the HTML of a mail, from the words of the definition. */

import type { MailKind } from '../../definition/mail-model.ts'
import type { Model } from '../../definition/model.ts'
import { html } from '../../html/markup/markup.ts'
import { mailModel } from './declared-mail.ts'

export interface ComposedMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
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
  const paragraphs = text.split(/\n{2,}/).map((words) => {
    const [before = '', ...after] = words.split('{link}')
    const linked = after.map((rest) => html`<a href="${link}">${link}</a>${fill(rest)}`)
    return html`<p>${fill(before)}${linked}</p>`
  })
  return {
    from: mail.from,
    to: recipient,
    // A line break in a title would begin another header field.
    subject: fill(subject).replace(/\s+/g, ' '),
    text: fill(text),
    html: String(
      html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${fill(subject)}</title></head><body>${paragraphs}</body></html>`,
    ),
  }
}

/** The reason of a refusal above its form. */

import type { ContentFault } from '../../refusal.ts'
import type { ProblemView } from '../../views/view.ts'
import { html, type Markup } from '../markup/markup.ts'
import { translated, translateText } from '../page-language.ts'

/** The form shows the faults of fields; other faults are shown here. */
export function faultNotice({ errors, title, detail }: ProblemView): Markup | undefined {
  if (errors && errors.length > 0 && errors.every(isPlaced)) return undefined
  return refusalNotice(translated(title), detail && translateText(detail))
}

function isPlaced({ pointer }: ContentFault): boolean {
  return pointer !== ''
}

export function refusalNotice(title: string, text: string | undefined): Markup {
  return html`<div class="alert" role="alert"><p><strong>${title}.</strong> ${text}</p></div>`
}

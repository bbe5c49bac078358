/** The HTML pages of problems. */

import { problemTypes } from '../../refusal.ts'
import { relationName } from '../../views/link-relation.ts'
import { homeUri, problemNameOf, problemUri, signInUri } from '../../views/uri.ts'
import { sentValues } from '../forms/conflict-choice.ts'
import { signInForm } from '../forms/sign-in-forms.ts'
import { type HtmlPage, signInQuery } from '../layout.ts'
import { filterForm, hasFilterInput } from '../lists/filter-form.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionNoun, labelOfCollection } from '../markup/collection-nouns.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase, translated, translateText } from '../page-language.ts'
import type { RefusedView, UnsentForm } from '../page-view.ts'

export function problemPage(layout: PageLayout, problem: RefusedView): HtmlPage {
  return refusedFilterPage(layout, problem) ?? plainProblemPage(layout, problem)
}

/** The filter form again, with the fault beside its input; undefined for other problems. */
function refusedFilterPage(
  layout: PageLayout,
  { status, detail, members }: RefusedView,
): HtmlPage | undefined {
  const { model, navigation, uri } = layout
  const [path] = uri.split('?')
  const { parameter } = members
  const link = navigation.find(({ target }) => target === path)
  const resource = link && model.resources.get(relationName(link.rel) ?? '')
  if (status !== 400 || !resource || typeof parameter !== 'string') return undefined
  if (!hasFilterInput(layout, resource, parameter)) return undefined
  const title = phrase`Filter ${collectionNoun(resource)}`
  const fault = { parameter, detail: translateText(withoutSubject(detail, parameter)) }
  const main = html`<div class="heading"><h1>${title}</h1></div>
<div class="alert" role="alert"><p><strong>Not filtered.</strong> Correct the marked value.</p></div>
${filterForm(layout, resource, fault)}`
  return { title: phrase`${title}: not possible`, main }
}

/** `The parameter 'price[gte]' must be a decimal.` becomes `Must be a decimal.` */
function withoutSubject(detail: string, parameter: string): string {
  const subject = `The parameter '${parameter}' `
  if (!detail.startsWith(subject)) return detail
  const rest = detail.slice(subject.length)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

function plainProblemPage(layout: PageLayout, problem: RefusedView): HtmlPage {
  const { status, title, detail, instance, type, errors, lost = [] } = problem
  const name = problemNameOf(type)
  const main = html`<div class="problem"><p class="status">${status}</p>
<h1>${translated(title)}</h1>
${detail !== undefined && html`<p class="lead">${translateText(detail)}</p>`}
${errors && html`<ul>${errors.slice(0, 100).map((one) => html`<li>${one.pointer !== '' && html`<code>${one.pointer}</code>: `}${translateText(one.detail)}</li>`)}</ul>`}
${referringItems(problem)}
${status !== 401 && html`<p>${translated(problemTypes[name].remedy)}</p>`}
${sentValues(undefined, lost)}
${nextSteps(layout, problem)}
<p class="small"><a href="${problemUri(layout.model, name)}">About this problem</a> · <code>${instance}</code></p></div>`
  return { title: `${status} ${translated(title)}`, main }
}

/** Links to continue with, and the sign-in form for anonymous callers on 401. */
function nextSteps(layout: PageLayout, { status, unsent }: RefusedView): Markup {
  const { model, caller, canSignIn } = layout
  const links = html`${collectionLink(layout)}<a href="${homeUri(model)}">Home</a>`
  const home = html`<p class="ways">${links}</p>`
  if (!canSignIn || caller.kind !== 'anonymous') return home
  if (status === 401) return html`${unsent ? unsentForm(layout, unsent) : signInForm(layout)}${home}`
  if (status !== 404) return home
  return html`<p class="ways"><a class="button" href="${signInUri(model)}${signInQuery(layout)}">Sign in</a> ${links}</p>`
}

/** A form with the values that were sent. The person signs in beside this page, by whichever method, so that it stays. */
function unsentForm({ model }: PageLayout, { target, pairs, hadPasswords }: UnsentForm): Markup {
  const inputs = pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<section class="card"><h2>Your input is kept on this page</h2>
<ol><li><a href="${signInUri(model)}" target="_blank" rel="noopener">Sign in in a new tab</a>.</li><li>Come back to this page and send your input again.</li></ol>
${hadPasswords && html`<p>A password that you entered is not kept. Enter it again afterwards.</p>`}
<form method="post" action="${target}" class="form">${inputs}<div class="buttons"><button class="main">Send again</button></div></form></section>`
}

/** A link to the collection of the target. */
function collectionLink({ model, navigation, uri }: PageLayout): Markup | undefined {
  const link = navigation.find(({ target }) => uri !== target && isWithin(uri, target))
  return (
    link &&
    html`<a href="${link.target}">${labelOfCollection(model, relationName(link.rel) ?? link.rel)}</a> `
  )
}

function isWithin(uri: string, target: string): boolean {
  return uri.startsWith(`${target}/`) || uri.startsWith(`${target}?`)
}

/** The visible items that refer to an item and prevent its deletion. */
function referringItems({ members }: RefusedView): Markup | undefined {
  const { by } = members
  if (!Array.isArray(by)) return undefined
  return html`<ul>${by.map((uri) => html`<li><a href="${String(uri)}">${String(uri)}</a></li>`)}</ul>`
}

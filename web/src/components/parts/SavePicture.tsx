import { savePng, saveSvg } from "../../common/picture";

/** Gives what is in the nearest element that `of` names as a file. */
export function SavePicture({ of, name }: { of: string; name: string }) {
  const press = (event: MouseEvent, give: typeof savePng) => {
    const element = (event.currentTarget as HTMLElement).closest<HTMLElement>(of);
    if (element) give(element, name.replace(/[^\w.-]+/g, "_") || "picture");
  };
  return (
    <span class="save-picture no-picture">
      <button type="button" class="quiet" onClick={(event) => press(event, savePng)}>PNG</button>{" "}
      <button type="button" class="quiet" onClick={(event) => press(event, saveSvg)}>SVG</button>
    </span>
  );
}

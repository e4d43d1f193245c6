import { type WasteReport, wasteWords } from "@tessera/wire";
import { colourOf, patternOf } from "../../design/hues.ts";
import { TableBox } from "../../design/table-box.tsx";
import { spellMoney } from "../../format/money.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { classHues, partsOf, presentClasses } from "./classes.ts";

type Amounts = Pick<WasteReport["total"], "unitMs" | "micros" | "classes">;

/** Everything as one bar, a part for each class. */
export function WasteBar({ of, small = false }: { of: Amounts; small?: boolean }) {
  return (
    <div className={small ? "waste-bar small" : "waste-bar"} aria-hidden="true">
      {partsOf(of).map(({ name, left, width }) => (
        <div
          key={name}
          className={`part pattern-${patternOf(classHues[name])}`}
          title={`${wasteWords[name]}: ${spellShare(Number(of.classes[name]!.unitMs), Number(of.unitMs))}`}
          style={{ left: `${left}%`, width: `${width}%`, backgroundColor: colourOf(classHues[name]) }}
        />
      ))}
    </div>
  );
}

/** The same as figures; they add up to the last line. */
export function WasteClasses({ of, currency }: { of: Amounts; currency: string }) {
  return (
    <TableBox label="Where the capacity went">
      <thead>
        <tr>
          <th>Part</th>
          <th className="number">GPU-hours</th>
          <th className="number">Share</th>
          <th className="number">Worth</th>
        </tr>
      </thead>
      <tbody>
        {presentClasses(of).map((name) => (
          <tr key={name}>
            <td>
              <i
                className={`mark square pattern-${patternOf(classHues[name])}`}
                style={{ backgroundColor: colourOf(classHues[name]) }}
              />{" "}
              {wasteWords[name]}
            </td>
            <td className="number">{spellNumber(gpuHoursOf(of.classes[name]!.unitMs))}</td>
            <td className="number">{spellShare(Number(of.classes[name]!.unitMs), Number(of.unitMs))}</td>
            <td className="number nowrap">{spellMoney(of.classes[name]!.micros, currency)}</td>
          </tr>
        ))}
        <tr className="total">
          <td>All</td>
          <td className="number">{spellNumber(gpuHoursOf(of.unitMs))}</td>
          <td className="number">100 %</td>
          <td className="number nowrap">{spellMoney(of.micros, currency)}</td>
        </tr>
      </tbody>
    </TableBox>
  );
}

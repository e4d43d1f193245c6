import { useMe } from "../../api/me.tsx";
import { Empty } from "../../design/parts.tsx";

/** For a person who has been made and been given nothing yet, or nothing any more. */
export function NoRoleHome() {
  const { name } = useMe();
  return (
    <div className="page">
      <div className="head">
        <h1>Home</h1>
      </div>
      <Empty title="You have no role yet" command={`npx tess role bind ${name} member ACCOUNT`}>
        <p>
          A role says what you may see and do in an account. Ask an administrator of the account in which you want to
          work for one; they run this or use the page People.
        </p>
      </Empty>
    </div>
  );
}
